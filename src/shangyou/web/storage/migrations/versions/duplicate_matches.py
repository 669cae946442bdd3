"""Duplicate matches"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.String(length=32), primary_key=True),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("opponent", sa.String(length=128), nullable=False),
        sa.Column("partner", sa.String(length=128), nullable=False),
        sa.Column("hints", sa.Boolean(), nullable=False),
        sa.Column("pace", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_matches_person")),
    )
    op.create_index("ix_matches_person", "matches", ["person"])
    op.add_column("tables", sa.Column("match", sa.String(length=32), nullable=True))
    op.add_column("tables", sa.Column("number", sa.Integer(), nullable=True))
    op.add_column("tables", sa.Column("second", sa.String(length=32), nullable=True))
    op.create_index("ix_tables_match", "tables", ["match", "number"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_tables_match", "tables")
    for column in ("second", "number", "match"):
        op.drop_column("tables", column)
    op.drop_table("matches")
