-- Functions that authors write, of an account (scope_row 0) or of one character (scope_row is its character_row).
CREATE TABLE function (
    account_id  ID NOT NULL,
    id          ID NOT NULL,
    scope_row   INT NOT NULL,
    enabled     INT NOT NULL,
    size        INT NOT NULL,           -- bytes of its texts
    created_at  INT NOT NULL,
    revision    INT NOT NULL,           -- the tick of the account's clock at the last change
    body        BYTES NOT NULL,         -- everything else, as JSON
    PRIMARY KEY (account_id, id)
) LARGE_TABLE_KIND;
CREATE INDEX function_of_scope ON function (account_id, scope_row, id);

-- Functions that come with the program and are not as they come: switched off, or a starter that is switched on.
CREATE TABLE function_switch (
    account_id  ID NOT NULL,
    scope_row   INT NOT NULL,
    id          ID NOT NULL,            -- such as builtin:SET
    enabled     INT NOT NULL,
    revision    INT NOT NULL,
    PRIMARY KEY (account_id, scope_row, id)
) TABLE_KIND;

-- What the functions of a scope mean for turns, a text in definition; null: nothing.
ALTER TABLE account ADD COLUMN functions_hash BYTES;
ALTER TABLE character_story ADD COLUMN functions_hash BYTES;
