"""Why the arena refuses a request, in English."""

from shangyou.games.errors import Sentence


class Why(Sentence):
    # requests
    too_many_requests = "too many requests from this address; wait a little"
    too_many_sockets = "too many tables are open from this address"
    too_many_new = "too much that is new from this address; wait a little"
    too_many_rules = "too many different rules from this address; wait a little"
    too_many_today = "too many records from this address today"
    too_many_codes = "too many recovery codes tried from this address; wait an hour"
    foreign_page = "this page is not the server's own"
    nothing_here = "there is nothing here"
    method_wrong = "that cannot be done here"
    body_long = "that is too long: at most {n} bytes are taken, {records} of records"
    message_long = "that is too long: a message has at most {n} characters"
    malformed = "the server could not read this: {error}"
    server_failed = "something went wrong on the server; nothing was changed"
    # people
    not_known = "the server does not know you yet: play a game, or POST /api/v1/me"
    nickname = "a nickname has at most {n} characters that can be printed"
    wrong_code = "nobody has this recovery code; each can be used once"
    no_device = "you have no such device"
    # records sent
    records_stored = "you have {n:record|records} here; delete some of them first"
    record_name = "names in a record have at most {n} characters that can be printed"
    record_long = "a record has at most {n} characters"
    no_record = "there is no such record of yours"
    # new tables
    seats_and_me = "{game} has {seats} seats, and one of them is 'me': {given!r}"
    new_cards = "with a friend at the table the cards must be new to both"
    one_of_three = "only one of seed, same_deal and from says what the cards are"
    no_agent = "no agent {name!r} plays {game} under these rules; there are {options}"
    no_replay = "there is no such game"
    other_rules = "that game was played under {rules}"
    turns_number = "that game has {turns:turn|turns}, not {turn}"
    earlier_turn = "the game is over there; an earlier turn is needed"
    # tables
    no_table = "there is no such table"
    table_full = "every seat of this table is taken"
    not_seated = "you do not sit at this table"
    not_started = "the game starts when every seat is taken"
    seat_to_act = "it is the turn of seat {seat}"
    other_version = "the table has moved on: that was about version {version}, it is at {now}"
    load_again = "the table has moved on; load it again"
    no_hints = "this table was opened without hints"
    agent_failed = "{name} has failed and is asked again every now and then; the game is kept: wait, or leave the table"
    # duplicate matches
    no_match = "there is no such match"
    others_match = "this match is somebody else's"
    deals_played = "all deals of this match have been played"
    deal_opened = "this deal has just been opened; load the match again"
