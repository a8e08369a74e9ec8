-- Outcomes of turns beside their versions, MVU's schema from version to version, recipes as hashes of hashes, and effects.

-- What authors write and states depend on, by the hash of its text: profiles. A text is stored once for an account, and
-- rows that use it keep its hash.
CREATE TABLE definition (
    account_id  ID NOT NULL,
    hash        BYTES NOT NULL,
    used_at     INT NOT NULL,           -- when something last began to use it
    body        BYTES NOT NULL,
    PRIMARY KEY (account_id, hash)
) LARGE_TABLE_KIND;

-- A profile has two texts: the one that was written, and the one that spells out what it means (null: the default profile).
ALTER TABLE session_story ADD COLUMN profile_hash BYTES;
ALTER TABLE session_story ADD COLUMN rules_hash BYTES;
ALTER TABLE session_story ADD COLUMN reads_users INT NOT NULL DEFAULT 0;   -- whether its profile reads what people write
ALTER TABLE character_story ADD COLUMN profile_hash BYTES;
ALTER TABLE character_story ADD COLUMN rules_hash BYTES;
ALTER TABLE character_story ADD COLUMN reads_users INT NOT NULL DEFAULT 0;

-- What a version was computed with: hashes of what is stored elsewhere.
ALTER TABLE recipe RENAME TO recipe_text;
CREATE TABLE recipe (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    recipe_hash BYTES NOT NULL,
    semantics   INT NOT NULL,
    rules_hash  BYTES,                  -- null: the default profile
    template_hash BYTES,                -- null: an empty template
    global_functions_hash BYTES,
    local_functions_hash BYTES,
    PRIMARY KEY (account_id, session_row, recipe_hash),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;

-- The program computes the hashes: it moves the texts of session_story.profile, character_story.profile and recipe_text to
-- definition, fills the new columns and the new table, and drops recipe_text (src/db/migrate/hashes.rs).

-- What came of the commands of a text, and its problems; null for edits and for versions of older programs.
ALTER TABLE version ADD COLUMN outcome BYTES;
-- How MVU's schema differs from that of the parent version; null where it is the same.
ALTER TABLE version ADD COLUMN schema_change BYTES;
ALTER TABLE keyframe ADD COLUMN mvu_schema BYTES;

-- What a turn wants to happen outside of its document: performed once, when its page is committed for the first time.
CREATE TABLE effect (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    page_row    INT NOT NULL,
    version_row INT NOT NULL,
    ordinal     INT NOT NULL,
    kind        INT NOT NULL,           -- 0 set a variable
    detail      BYTES NOT NULL,
    performed_at INT,                   -- null: not yet
    PRIMARY KEY (account_id, session_row, page_row, version_row, ordinal),
    FOREIGN KEY (account_id, session_row) REFERENCES session (account_id, session_row) ON DELETE CASCADE
) TABLE_KIND;

-- Which jobs wait for each other: 0 deletions, 1 processing.
ALTER TABLE job ADD COLUMN lane INT NOT NULL DEFAULT 0;
UPDATE job SET lane = 1 WHERE kind = 2;
