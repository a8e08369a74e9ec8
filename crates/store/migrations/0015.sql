-- Character cards as they were imported: what a character has no field for comes back when the card is exported.
CREATE TABLE character_card (
    account_id    ID NOT NULL,
    character_row INT NOT NULL,
    card          BYTES NOT NULL,       -- the JSON of the card
    image         BYTES,                -- the picture without the card
    PRIMARY KEY (account_id, character_row),
    FOREIGN KEY (account_id, character_row) REFERENCES character (account_id, character_row) ON DELETE CASCADE
) LARGE_TABLE_KIND;
