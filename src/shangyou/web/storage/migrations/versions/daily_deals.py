"""Daily deals: a secret their cards come from, the deals, one try of each person at each"""

import sqlalchemy as sa
from alembic import op

revision = "daily_deals"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(length=32), primary_key=True),
        sa.Column("value", sa.String(length=64), nullable=False),
    )
    op.create_table(
        "daily_deals",
        sa.Column("day", sa.String(length=10), primary_key=True),
        sa.Column("game", sa.String(length=32), primary_key=True),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("agent", sa.String(length=128), nullable=False),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replay", sa.String(length=32), nullable=True),
    )
    op.create_table(
        "daily_tries",
        sa.Column("table_id", sa.String(length=32), primary_key=True),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("named", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_daily_tries_person")),
    )
    op.create_index("ix_daily_tries_deal", "daily_tries", ["day", "game", "person"], unique=True)
    op.create_index("ix_daily_tries_person", "daily_tries", ["person"])
    op.create_index("ix_games_table_id", "games", ["table_id"])


def downgrade() -> None:
    """The results of daily deals are lost, their games stay."""
    op.drop_index("ix_games_table_id", "games")
    for table in ("daily_tries", "daily_deals", "secrets"):
        op.drop_table(table)
