"""Tokens of bots"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "bot_tokens",
        sa.Column("bot", sa.Integer(), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False, unique=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["bot"], ["people.id"], name=op.f("fk_bot_tokens_bot"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["owner"], ["people.id"], name=op.f("fk_bot_tokens_owner"), ondelete="CASCADE"),
    )
    op.create_index("ix_bot_tokens_owner", "bot_tokens", ["owner"])


def downgrade() -> None:
    op.drop_table("bot_tokens")
