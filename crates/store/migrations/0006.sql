-- An edit by hand is a patch, kept beside the text of its page and applied after the text's commands whenever the page's state
-- is computed. A page that was edited by an older program has a version of kind 1 without edits_hash; it gets its edit here when
-- it is edited or computed again (src/story/edits.rs).
CREATE TABLE page_edit (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    page_row    INT NOT NULL,
    number      INT NOT NULL,           -- the order in which they are applied
    id          ID NOT NULL,            -- copies of a page have edits of the same ids
    kind        INT NOT NULL,           -- 0 edit, 1 undo
    created_at  INT NOT NULL,
    taken_back_at INT,                  -- null: it counts
    reason      BYTES,
    ops         BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, page_row, number),
    FOREIGN KEY (account_id, session_row, page_row)
        REFERENCES page (account_id, session_row, page_row) ON DELETE CASCADE
) TABLE_KIND;
CREATE UNIQUE INDEX page_edit_by_id ON page_edit (account_id, session_row, page_row, id);

-- The edits of a page that count, and those that a version was computed with; null: none.
ALTER TABLE page ADD COLUMN edits_hash BYTES;
ALTER TABLE version ADD COLUMN edits_hash BYTES;
-- How many of the ops of a version's change are the text's; the others are those of the edits. Null: all of them, or, of kind 1,
-- none of them.
ALTER TABLE version ADD COLUMN text_ops INT;
-- The ops of edits that found no place; null: none.
ALTER TABLE version ADD COLUMN edit_problems BYTES;
