"""Tables between people: listed ones, clocks, rematches, who sits where; ratings by season"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

COLUMNS = ("listed", "clock", "rematch", "unattended")
RATING = ("game", "player", "mu", "sigma", "games", "wins", "points")


def upgrade() -> None:
    op.add_column("tables", sa.Column("listed", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("tables", sa.Column("clock", sa.JSON(), nullable=True))
    op.add_column("tables", sa.Column("rematch", sa.String(length=32), nullable=False, server_default=""))
    op.add_column("tables", sa.Column("unattended", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "sitters",
        sa.Column("table_id", sa.String(length=32), primary_key=True),
        sa.Column("person", sa.Integer(), primary_key=True),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_sitters_table_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_sitters_person"), ondelete="CASCADE"),
    )
    op.create_index("ix_sitters_person", "sitters", ["person"])
    _find_sitters()
    _make_ratings("ratings_of_seasons", sa.Column("season", sa.Integer(), primary_key=True))
    names = ", ".join(RATING)
    op.execute(f"INSERT INTO ratings_of_seasons (season, {names}) SELECT 1, {names} FROM ratings")  # what was rated so far
    op.drop_table("ratings")
    op.rename_table("ratings_of_seasons", "ratings")


def _find_sitters() -> None:
    """The people at the tables that are not over."""
    db, people = op.get_bind(), sa.table("people", sa.column("id"))
    tables = sa.table("tables", sa.column("id"), sa.column("seats", sa.JSON), sa.column("status"))
    known = set(db.execute(sa.select(people.c.id)).scalars())
    found = db.execute(sa.select(tables.c.id, tables.c.seats).where(tables.c.status.in_(("open", "running")))).all()
    rows = {(row.id, seat["person"]) for row in found for seat in row.seats if seat["person"] in known}
    sitters = sa.table("sitters", sa.column("table_id"), sa.column("person"))
    if rows:
        db.execute(sa.insert(sitters), [{"table_id": table, "person": person} for table, person in sorted(rows)])


def _make_ratings(name: str, *first: sa.Column[int]) -> None:
    op.create_table(
        name,
        *first,
        sa.Column("game", sa.String(length=32), primary_key=True),
        sa.Column("player", sa.String(length=160), primary_key=True),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    """Ratings of later seasons are lost."""
    _make_ratings("first_ratings")
    names = ", ".join(RATING)
    op.execute(f"INSERT INTO first_ratings ({names}) SELECT {names} FROM ratings WHERE season = 1")
    op.drop_table("ratings")
    op.rename_table("first_ratings", "ratings")
    op.drop_table("sitters")
    for column in reversed(COLUMNS):
        op.drop_column("tables", column)
