-- The story state: immutable versions, the snapshots that point to them, whole documents as an index, and which floors do
-- not fit the one before them.

-- Texts may be large, and were kept in the tree of their key, where every search read some of them whole.
CREATE TABLE large_body (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    scope       INT NOT NULL,
    host_row    INT NOT NULL,
    content     BYTES,                  -- a page's text
    extra       BYTES,                  -- a page's extra, a floor's or session's metadata
    PRIMARY KEY (account_id, session_row, scope, host_row)
) LARGE_TABLE_KIND;
INSERT INTO large_body (account_id, session_row, scope, host_row, content, extra)
    SELECT account_id, session_row, scope, host_row, content, extra FROM body;
DROP TABLE body;
ALTER TABLE large_body RENAME TO body;

-- The fingerprint of a page's text: what its state is compared with. Null where the text is older than this column.
ALTER TABLE page ADD COLUMN text_hash BYTES;
-- The fingerprint of the turn that made the page, where its client chose the id and may send it again.
ALTER TABLE page ADD COLUMN turn_hash BYTES;

-- Whether the floor's story page has no state, or one that was made of another text or another version of the page before.
ALTER TABLE floor ADD COLUMN broken INT NOT NULL DEFAULT 0;
UPDATE floor SET broken = 1 WHERE state = 2 AND EXISTS (
    SELECT 1 FROM page p WHERE p.account_id = floor.account_id AND p.session_row = floor.session_row
        AND p.floor_row = floor.floor_row AND p.is_active = 1 AND p.kind > 0);
-- Whether one of its active pages has a state: floors that have none may be many, and are not read on the way back to one.
ALTER TABLE floor ADD COLUMN has_state INT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX floor_with_state ON floor (account_id, session_row, branch_row, has_state, floor_no) WHERE has_state = 1;
CREATE INDEX floor_broken ON floor (account_id, session_row, branch_row, floor_no) WHERE broken = 1;

-- A fork whose floor is gone stands on the floor before it, whatever gets the number next.
UPDATE branch SET source_branch_floor_no = COALESCE((SELECT MAX(f.floor_no) FROM floor f
        WHERE f.account_id = branch.account_id AND f.session_row = branch.session_row
            AND f.branch_row = branch.source_branch_row AND f.floor_no <= branch.source_branch_floor_no), -1)
    WHERE source_floor_row IS NULL AND source_branch_row IS NOT NULL;

-- The branches that turn off at a floor, or at the place where one was.
CREATE INDEX branch_by_source ON branch (account_id, session_row, source_floor_row);
CREATE INDEX branch_by_source_branch ON branch (account_id, session_row, source_branch_row, source_branch_floor_no);

ALTER TABLE session ADD COLUMN chat_file BYTES;     -- null while the session is being deleted: the name is free
UPDATE session SET chat_file = CAST(id AS BYTES) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX session_by_chat_file ON session (account_id, chat_file);
ALTER TABLE session ADD COLUMN story_kind INT NOT NULL DEFAULT 1; -- the lowest kind of page that commands are read from
ALTER TABLE session ADD COLUMN flags_from INT;      -- broken is to be recomputed from this row of floors on; until then no page counts as fresh
ALTER TABLE session ADD COLUMN swept_seq INT NOT NULL DEFAULT 0;  -- up to this tick nobody has versions that nobody needs
ALTER TABLE session ADD COLUMN state_key BYTES;     -- the name of the state among variables; null: the usual one

-- The story settings of a session; only where something differs from the defaults.
CREATE TABLE session_story (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    profile     BYTES,
    template    BYTES,
    template_hash BYTES,
    PRIMARY KEY (account_id, session_row),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;

-- A version is the tick of the clock at which it was made, so a number never comes back.
CREATE TABLE version (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    version_row INT NOT NULL,
    page_row    INT NOT NULL,           -- the page whose state it is; it may be gone
    parent_row  INT,                    -- the version that the change starts from; null: the template
    base_row    INT,                    -- the version of the page before it then; null: there was none
    kind        INT NOT NULL,           -- 0 turn, 1 edit
    text_hash   BYTES NOT NULL,
    recipe_hash BYTES NOT NULL,
    clock_ms    INT NOT NULL,           -- the time that the turn was told
    edited_at   INT,                    -- when somebody changed it by hand; it stays when the edit is put on another ground
    round       INT NOT NULL,
    changes     INT NOT NULL,           -- changes since the last keyframe, and their bytes
    bytes       INT NOT NULL,
    change      BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, version_row),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) LARGE_TABLE_KIND;

CREATE TABLE keyframe (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    version_row INT NOT NULL,
    document    BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, version_row),
    FOREIGN KEY (account_id, session_row, version_row)
        REFERENCES version (account_id, session_row, version_row) ON DELETE CASCADE
) LARGE_TABLE_KIND;

-- What a version was computed with.
CREATE TABLE recipe (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    recipe_hash BYTES NOT NULL,
    recipe      BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, recipe_hash),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;

-- A page's state has a name of its own and outlives the page.
CREATE TABLE snapshot (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    page_row    INT NOT NULL,
    id          ID NOT NULL,
    version_row INT NOT NULL,
    created_at  INT NOT NULL,
    PRIMARY KEY (account_id, session_row, page_row),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX snapshot_by_id ON snapshot (account_id, id);

-- What a job is to do and how far it got, where its row does not say all of it.
ALTER TABLE job ADD COLUMN work BYTES;
ALTER TABLE job ADD COLUMN branch_row INT;          -- the branch that it processes; but for dry runs no other open job does

-- States that belong to no page.
CREATE TABLE global_snapshot (
    account_id  ID NOT NULL,
    id          ID NOT NULL,
    name        BYTES NOT NULL,
    description BYTES,
    tags        BYTES NOT NULL,         -- a JSON list, in the order they were given
    created_at  INT NOT NULL,
    revision    INT NOT NULL,           -- the tick of the account's clock at the last change
    PRIMARY KEY (account_id, id)
) TABLE_KIND;
CREATE UNIQUE INDEX global_snapshot_by_time ON global_snapshot (account_id, revision);

CREATE TABLE global_snapshot_tag (
    account_id  ID NOT NULL,
    tag         BYTES NOT NULL,
    id          ID NOT NULL,
    PRIMARY KEY (account_id, tag, id),
    FOREIGN KEY (account_id, id) REFERENCES global_snapshot (account_id, id) ON DELETE CASCADE
) TABLE_KIND;
CREATE INDEX global_snapshot_tag_by_id ON global_snapshot_tag (account_id, id);

CREATE TABLE global_snapshot_body (
    account_id  ID NOT NULL,
    id          ID NOT NULL,
    document    BYTES NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, id) REFERENCES global_snapshot (account_id, id) ON DELETE CASCADE
) LARGE_TABLE_KIND;

-- Characters. Large bodies are stored apart, so that lists stay small.
CREATE TABLE character (
    account_id    ID NOT NULL,
    character_row INT NOT NULL,
    id            ID NOT NULL,
    name          BYTES NOT NULL,
    enabled       INT NOT NULL,
    greetings     INT NOT NULL,         -- how many there are
    created_at    INT NOT NULL,
    updated_at    INT NOT NULL,
    deleted_at    INT,                  -- gone for everybody but the sessions that still use it
    PRIMARY KEY (account_id, character_row),
    FOREIGN KEY (account_id) REFERENCES account (account_id)
) TABLE_KIND;
CREATE UNIQUE INDEX character_by_id ON character (account_id, id);
CREATE INDEX character_by_name ON character (account_id, name, character_row);
CREATE INDEX character_deleted ON character (account_id, character_row) WHERE deleted_at IS NOT NULL;
CREATE INDEX character_by_change ON character (account_id, updated_at, character_row);

CREATE TABLE character_story (
    account_id    ID NOT NULL,
    character_row INT NOT NULL,
    profile       BYTES,
    template      BYTES,
    template_hash BYTES,
    greetings     BYTES,                -- a JSON list of texts
    PRIMARY KEY (account_id, character_row),
    FOREIGN KEY (account_id, character_row) REFERENCES character (account_id, character_row) ON DELETE CASCADE
) LARGE_TABLE_KIND;

ALTER TABLE account ADD COLUMN last_character INT NOT NULL DEFAULT 0; -- the highest character_row that was ever used
ALTER TABLE session ADD COLUMN character_row INT;
CREATE INDEX session_of_character ON session (account_id, character_row) WHERE character_row IS NOT NULL;
