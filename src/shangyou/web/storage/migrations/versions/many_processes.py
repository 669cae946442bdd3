"""Many processes on one database: revisions and keepers of tables, the processes, what they must know of each other"""

import sqlalchemy as sa
from alembic import op

revision = "many_processes"
down_revision = "daily_deals"

NEW = ("processes", "watchers", "phrases", "buckets")
COLUMNS = ("revision", "turned_at", "keeper")


def upgrade() -> None:
    op.add_column("tables", sa.Column("revision", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("tables", sa.Column("turned_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("tables", sa.Column("keeper", sa.String(length=16), nullable=False, server_default=""))
    op.add_column("people", sa.Column("signed_out_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "processes",
        sa.Column("id", sa.String(length=16), primary_key=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "watchers",
        sa.Column("table_id", sa.String(length=32), primary_key=True),
        sa.Column("process", sa.String(length=16), primary_key=True),
        sa.Column("people", sa.JSON(), nullable=False),
        sa.Column("strangers", sa.Integer(), nullable=False),
    )
    op.create_index("ix_watchers_process", "watchers", ["process"])
    op.create_table(
        "phrases",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("phrase", sa.String(length=32), nullable=False),
        sa.Column("process", sa.String(length=16), nullable=False),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_phrases_table_id", "phrases", ["table_id", "seat"])
    op.create_table(
        "buckets",
        sa.Column("kind", sa.String(length=16), primary_key=True),
        sa.Column("address_hash", sa.String(length=64), primary_key=True),
        sa.Column("full_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    for table in NEW:
        op.drop_table(table)
    op.drop_column("people", "signed_out_at")
    for column in reversed(COLUMNS):
        op.drop_column("tables", column)
