-- A browser that is signed in is a key of its own, made with another one and ended with it; null: an ordinary key.
ALTER TABLE api_key ADD COLUMN signed_in_with ID;
