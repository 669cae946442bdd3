"""Devices of a person, recovery codes, who sent a record, roles of players"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False, unique=True),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_tokens_person")),
    )
    op.create_index("ix_tokens_person", "tokens", ["person"])
    columns = "person, token_hash, name, made_at, seen_at"
    op.execute(f"INSERT INTO tokens ({columns}) SELECT id, token_hash, '', made_at, made_at FROM people")
    with op.batch_alter_table("people") as people:
        people.drop_column("token_hash")
        people.add_column(sa.Column("recovery_hash", sa.String(length=64), nullable=True))
        people.create_unique_constraint("uq_people_recovery_hash", ["recovery_hash"])
    with op.batch_alter_table("games") as games:
        games.add_column(sa.Column("sent_by", sa.Integer(), nullable=True))
        games.create_foreign_key(op.f("fk_games_sent_by"), "people", ["sent_by"], ["id"])
        games.create_index("ix_games_sent_by", ["sent_by"])
    op.add_column("players", sa.Column("role", sa.String(length=16), nullable=False, server_default=""))
    _fill_roles(op.get_bind())


def _fill_roles(db: sa.Connection) -> None:
    """The landlord made the highest bid, or leads where there are none."""
    for id, line in db.execute(sa.text("SELECT id, record FROM games WHERE game = 'doudizhu'")).all():
        record = json.loads(line)
        bids = record["bids"]
        landlord = (record["deal"]["first"] + (bids.index(max(bids)) if bids else 0)) % 3
        role = "CASE WHEN seat = :landlord THEN 'landlord' ELSE 'peasant' END"
        db.execute(sa.text(f"UPDATE players SET role = {role} WHERE game_id = :id"), {"landlord": landlord, "id": id})


def downgrade() -> None:
    op.drop_column("players", "role")
    with op.batch_alter_table("games") as games:
        games.drop_index("ix_games_sent_by")
        games.drop_constraint("fk_games_sent_by", type_="foreignkey")
        games.drop_column("sent_by")
    with op.batch_alter_table("people") as people:  # a person goes on with the device seen last
        people.drop_constraint("uq_people_recovery_hash", type_="unique")
        people.drop_column("recovery_hash")
        people.add_column(sa.Column("token_hash", sa.String(length=64), nullable=True))
    last = "SELECT token_hash FROM tokens WHERE person = people.id ORDER BY seen_at DESC LIMIT 1"
    op.execute(f"UPDATE people SET token_hash = COALESCE(({last}), 'none ' || id)")
    with op.batch_alter_table("people") as people:
        people.alter_column("token_hash", existing_type=sa.String(length=64), nullable=False)
        people.create_unique_constraint("uq_people_token_hash", ["token_hash"])
    op.drop_table("tokens")
