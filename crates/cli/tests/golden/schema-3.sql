--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: account; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.account (
    account_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    disabled_at bigint,
    seq bigint NOT NULL,
    last_session bigint NOT NULL,
    variables bigint NOT NULL,
    keys_made bigint NOT NULL,
    sessions bigint DEFAULT 0 NOT NULL,
    sessions_max bigint,
    variables_max bigint,
    keys_max bigint,
    events_purged bigint DEFAULT 0 NOT NULL,
    last_character bigint DEFAULT 0 NOT NULL
);


--
-- Name: api_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_key (
    key_hash bytea NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name bytea NOT NULL,
    role text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint
);


--
-- Name: body; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.body (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    scope bigint NOT NULL,
    host_row bigint NOT NULL,
    content bytea,
    extra bytea
);
ALTER TABLE ONLY public.body ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.body ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: branch; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.branch (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    branch_row bigint NOT NULL,
    id bytea NOT NULL,
    source_floor_row bigint,
    source_floor_no bigint,
    created_at bigint NOT NULL,
    variables bigint NOT NULL,
    source_branch_row bigint,
    source_branch_floor_no bigint,
    source_seq bigint
);
ALTER TABLE ONLY public.branch ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.branch ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: character; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public."character" (
    account_id text NOT NULL COLLATE pg_catalog."C",
    character_row bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    name bytea NOT NULL,
    enabled bigint NOT NULL,
    greetings bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    deleted_at bigint
);


--
-- Name: character_story; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.character_story (
    account_id text NOT NULL COLLATE pg_catalog."C",
    character_row bigint NOT NULL,
    profile bytea,
    template bytea,
    template_hash bytea,
    greetings bytea
);


--
-- Name: event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event (
    account_id text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    ordinal bigint NOT NULL,
    session_row bigint NOT NULL,
    branch_row bigint,
    seq bigint NOT NULL,
    kind bigint NOT NULL,
    session_id text COLLATE pg_catalog."C",
    branch_id bytea,
    subject_id text NOT NULL COLLATE pg_catalog."C",
    scope bigint,
    host_row bigint,
    host_id text COLLATE pg_catalog."C",
    key bytea,
    detail bytea
);
ALTER TABLE ONLY public.event ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.event ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: floor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.floor (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    floor_row bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    branch_row bigint NOT NULL,
    floor_no bigint NOT NULL,
    state bigint NOT NULL,
    lease_until bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    variables bigint NOT NULL,
    committed_seq bigint,
    broken bigint DEFAULT 0 NOT NULL,
    has_state bigint DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY public.floor ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.floor ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: floor_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.floor_key (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    branch_row bigint NOT NULL,
    key bytea NOT NULL,
    floor_no bigint NOT NULL,
    floor_row bigint NOT NULL
);
ALTER TABLE ONLY public.floor_key ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.floor_key ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: global_snapshot; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.global_snapshot (
    account_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name bytea NOT NULL,
    description bytea,
    tags bytea NOT NULL,
    created_at bigint NOT NULL,
    revision bigint NOT NULL
);


--
-- Name: global_snapshot_body; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.global_snapshot_body (
    account_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    document bytea NOT NULL
);


--
-- Name: global_snapshot_tag; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.global_snapshot_tag (
    account_id text NOT NULL COLLATE pg_catalog."C",
    tag bytea NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: history; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.history (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    scope bigint NOT NULL,
    host_row bigint NOT NULL,
    key bytea NOT NULL,
    seq bigint NOT NULL,
    variable_id text NOT NULL COLLATE pg_catalog."C",
    source bigint NOT NULL,
    page_row bigint,
    value bytea
);
ALTER TABLE ONLY public.history ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.history ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job (
    account_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    kind bigint NOT NULL,
    state bigint NOT NULL,
    session_row bigint NOT NULL,
    subject_id text NOT NULL COLLATE pg_catalog."C",
    done bigint NOT NULL,
    total bigint NOT NULL,
    problem bytea,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    lease_until bigint,
    work bytea,
    branch_row bigint
);


--
-- Name: kept_answer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.kept_answer (
    account_id text NOT NULL COLLATE pg_catalog."C",
    key bytea NOT NULL,
    fingerprint bytea NOT NULL,
    answer bytea NOT NULL,
    created_at bigint NOT NULL
);


--
-- Name: keyframe; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.keyframe (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    version_row bigint NOT NULL,
    document bytea NOT NULL
);
ALTER TABLE ONLY public.keyframe ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.keyframe ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: page; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.page (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    page_row bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    floor_row bigint NOT NULL,
    page_no bigint NOT NULL,
    version bigint NOT NULL,
    kind bigint NOT NULL,
    is_active bigint NOT NULL,
    role bytea,
    name bytea,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    variables bigint NOT NULL,
    committed_seq bigint,
    text_hash bytea,
    turn_hash bytea
);
ALTER TABLE ONLY public.page ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.page ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: promotion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.promotion (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    page_row bigint NOT NULL,
    seq bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    staged_id text COLLATE pg_catalog."C",
    key bytea NOT NULL,
    from_scope bigint NOT NULL,
    from_row bigint NOT NULL,
    to_scope bigint NOT NULL,
    to_row bigint NOT NULL,
    policy bigint NOT NULL,
    source_variable_id text COLLATE pg_catalog."C",
    target_variable_id text COLLATE pg_catalog."C",
    value bytea
);
ALTER TABLE ONLY public.promotion ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.promotion ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: recipe; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recipe (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    recipe_hash bytea NOT NULL,
    recipe bytea NOT NULL
);
ALTER TABLE ONLY public.recipe ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.recipe ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: schema_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_version (
    version bigint NOT NULL
);


--
-- Name: session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    title bytea,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    seq bigint NOT NULL,
    last_row bigint NOT NULL,
    variables bigint NOT NULL,
    deleted_at bigint,
    chat_file bytea,
    story_kind bigint DEFAULT 1 NOT NULL,
    flags_from bigint,
    swept_seq bigint DEFAULT 0 NOT NULL,
    state_key bytea,
    character_row bigint
);
ALTER TABLE ONLY public.session ALTER COLUMN account_id SET (n_distinct=10);


--
-- Name: session_story; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.session_story (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    profile bytea,
    template bytea,
    template_hash bytea
);
ALTER TABLE ONLY public.session_story ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.session_story ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: snapshot; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.snapshot (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    page_row bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    version_row bigint NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE ONLY public.snapshot ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.snapshot ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: staged_write; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.staged_write (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    page_row bigint NOT NULL,
    key bytea NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    op bigint NOT NULL,
    value bytea,
    intent bigint NOT NULL,
    policy bigint NOT NULL,
    source_kind bigint NOT NULL,
    reason bytea,
    source bytea,
    evidence bytea,
    status bigint NOT NULL,
    decision bigint,
    created_at bigint NOT NULL,
    resolved_at bigint
);
ALTER TABLE ONLY public.staged_write ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.staged_write ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: variable; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.variable (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    scope bigint NOT NULL,
    host_row bigint NOT NULL,
    key bytea NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    revision bigint NOT NULL,
    value bytea NOT NULL
);
ALTER TABLE ONLY public.variable ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.variable ALTER COLUMN session_row SET (n_distinct=10);


--
-- Name: variable_total; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.variable_total (
    account_id text NOT NULL COLLATE pg_catalog."C",
    scope bigint NOT NULL,
    shard bigint NOT NULL,
    total bigint NOT NULL
);


--
-- Name: version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.version (
    account_id text NOT NULL COLLATE pg_catalog."C",
    session_row bigint NOT NULL,
    version_row bigint NOT NULL,
    page_row bigint NOT NULL,
    parent_row bigint,
    base_row bigint,
    kind bigint NOT NULL,
    text_hash bytea NOT NULL,
    recipe_hash bytea NOT NULL,
    clock_ms bigint NOT NULL,
    edited_at bigint,
    round bigint NOT NULL,
    changes bigint NOT NULL,
    bytes bigint NOT NULL,
    change bytea NOT NULL
);
ALTER TABLE ONLY public.version ALTER COLUMN account_id SET (n_distinct=10);
ALTER TABLE ONLY public.version ALTER COLUMN session_row SET (n_distinct=10);


--
-- Data for Name: account; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.account VALUES ('default-admin', 0, NULL, 1794803675614000, 3, 1, 0, 3, NULL, NULL, NULL, 0, 2);


--
-- Data for Name: api_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: body; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.body VALUES ('default-admin', 1, 4, 3, '\x00e4bda0e5a5bde38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2031293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 4, '\x00e58f88e8a781e99da2e4ba86e38082', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 6, '\x00e7acac31e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2031293b20402e5345542822e7aba0222c2031293b20402e415050454e442822e8838ce58c85222c2022e789a93122293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 8, '\x00e7acac32e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2032293b20402e5345542822e7aba0222c2032293b20402e415050454e442822e8838ce58c85222c2022e789a93222293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 10, '\x00e7acac33e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2033293b20402e5345542822e7aba0222c2033293b20402e415050454e442822e8838ce58c85222c2022e789a93322293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 12, '\x00e7acac34e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2034293b20402e5345542822e7aba0222c2034293b20402e415050454e442822e8838ce58c85222c2022e789a93422293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 14, '\x00e7acac35e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2035293b20402e5345542822e7aba0222c2035293b20402e415050454e442822e8838ce58c85222c2022e789a93522293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 16, '\x00e7acac36e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2036293b20402e5345542822e7aba0222c2036293b20402e415050454e442822e8838ce58c85222c2022e789a93622293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 18, '\x00e7acac37e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2037293b20402e5345542822e7aba0222c2037293b20402e415050454e442822e8838ce58c85222c2022e789a93722293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 20, '\x00e7acac38e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2038293b20402e5345542822e7aba0222c2038293b20402e415050454e442822e8838ce58c85222c2022e789a93822293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 22, '\x00e7acac39e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c2039293b20402e5345542822e7aba0222c2039293b20402e415050454e442822e8838ce58c85222c2022e789a93922293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 24, '\x00e7acac3130e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203130293b20402e5345542822e7aba0222c203130293b20402e415050454e442822e8838ce58c85222c2022e789a9313022293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 26, '\x00e7acac3131e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203131293b20402e5345542822e7aba0222c203131293b20402e415050454e442822e8838ce58c85222c2022e789a9313122293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 28, '\x00e7acac3132e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203132293b20402e5345542822e7aba0222c203132293b20402e415050454e442822e8838ce58c85222c2022e789a9313222293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 30, '\x00e7acac3133e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203133293b20402e5345542822e7aba0222c203133293b20402e415050454e442822e8838ce58c85222c2022e789a9313322293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 32, '\x00e7acac3134e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203134293b20402e5345542822e7aba0222c203134293b20402e415050454e442822e8838ce58c85222c2022e789a9313422293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 34, '\x00e7acac3135e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203135293b20402e5345542822e7aba0222c203135293b20402e415050454e442822e8838ce58c85222c2022e789a9313522293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 36, '\x00e7acac3136e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203136293b20402e5345542822e7aba0222c203136293b20402e415050454e442822e8838ce58c85222c2022e789a9313622293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 38, '\x00e7acac3137e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203137293b20402e5345542822e7aba0222c203137293b20402e415050454e442822e8838ce58c85222c2022e789a9313722293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 40, '\x00e7acac3138e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203138293b20402e5345542822e7aba0222c203138293b20402e415050454e442822e8838ce58c85222c2022e789a9313822293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 42, '\x00e7acac3139e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203139293b20402e5345542822e7aba0222c203139293b20402e415050454e442822e8838ce58c85222c2022e789a9313922293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 44, '\x00e7acac3230e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203230293b20402e5345542822e7aba0222c203230293b20402e415050454e442822e8838ce58c85222c2022e789a9323022293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 46, '\x00e7acac3231e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203231293b20402e5345542822e7aba0222c203231293b20402e415050454e442822e8838ce58c85222c2022e789a9323122293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 48, '\x00e7acac3232e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203232293b20402e5345542822e7aba0222c203232293b20402e415050454e442822e8838ce58c85222c2022e789a9323222293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 50, '\x00e7acac3233e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203233293b20402e5345542822e7aba0222c203233293b20402e415050454e442822e8838ce58c85222c2022e789a9323322293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 52, '\x00e7acac3234e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203234293b20402e5345542822e7aba0222c203234293b20402e415050454e442822e8838ce58c85222c2022e789a9323422293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 54, '\x00e7acac3235e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203235293b20402e5345542822e7aba0222c203235293b20402e415050454e442822e8838ce58c85222c2022e789a9323522293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 56, '\x00e7acac3236e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203236293b20402e5345542822e7aba0222c203236293b20402e415050454e442822e8838ce58c85222c2022e789a9323622293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 58, '\x00e7acac3237e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203237293b20402e5345542822e7aba0222c203237293b20402e415050454e442822e8838ce58c85222c2022e789a9323722293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 60, '\x00e7acac3238e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203238293b20402e5345542822e7aba0222c203238293b20402e415050454e442822e8838ce58c85222c2022e789a9323822293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 62, '\x00e7acac3239e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203239293b20402e5345542822e7aba0222c203239293b20402e415050454e442822e8838ce58c85222c2022e789a9323922293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 64, '\x00e7acac3330e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203330293b20402e5345542822e7aba0222c203330293b20402e415050454e442822e8838ce58c85222c2022e789a9333022293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 66, '\x00e7acac3331e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203331293b20402e5345542822e7aba0222c203331293b20402e415050454e442822e8838ce58c85222c2022e789a9333122293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 68, '\x00e7acac3332e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203332293b20402e5345542822e7aba0222c203332293b20402e415050454e442822e8838ce58c85222c2022e789a9333222293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 70, '\x00e7acac3333e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203333293b20402e5345542822e7aba0222c203333293b20402e415050454e442822e8838ce58c85222c2022e789a9333322293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 72, '\x00e7acac3334e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203334293b20402e5345542822e7aba0222c203334293b20402e415050454e442822e8838ce58c85222c2022e789a9333422293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 74, '\x00e7acac3335e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203335293b20402e5345542822e7aba0222c203335293b20402e415050454e442822e8838ce58c85222c2022e789a9333522293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 76, '\x00e7acac3336e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203336293b20402e5345542822e7aba0222c203336293b20402e415050454e442822e8838ce58c85222c2022e789a9333622293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 78, '\x00e7acac3337e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203337293b20402e5345542822e7aba0222c203337293b20402e415050454e442822e8838ce58c85222c2022e789a9333722293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 80, '\x00e7acac3338e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203338293b20402e5345542822e7aba0222c203338293b20402e415050454e442822e8838ce58c85222c2022e789a9333822293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 82, '\x00e7acac3339e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203339293b20402e5345542822e7aba0222c203339293b20402e415050454e442822e8838ce58c85222c2022e789a9333922293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 84, '\x00e7acac3430e7aba0e38082402e4144442822e5b08fe99baa2ee5a5bde6849f222c203430293b20402e5345542822e7aba0222c203430293b20402e415050454e442822e8838ce58c85222c2022e789a9343022293b20402e464c592831293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 86, '\x00e68891e8afb4e8af9de38082', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 87, '\x00e58fa6e4b880e4b8aae7bb93e5b0bee38082402e5345542822e7aba0222c20343030293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 3, 4, 3, '\x005f2e73657428276870272c2031302c2037293b2f2f6869740a5f2e696e736572742827626167272c2027746f72636827293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 1, 4, 90, '\x00e5b294e8b7afe38082402e5345542822e7aba0222c202d31293b', NULL);
INSERT INTO public.body VALUES ('default-admin', 2, 4, 3, '\x0068656c6c6f', NULL);


--
-- Data for Name: branch; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.branch VALUES ('default-admin', 1, 1, '\x6d61696e', NULL, NULL, 1794803674954, 0, NULL, NULL, NULL);
INSERT INTO public.branch VALUES ('default-admin', 3, 1, '\x6d61696e', NULL, NULL, 1794803674985, 0, NULL, NULL, NULL);
INSERT INTO public.branch VALUES ('default-admin', 1, 88, '\xe694afe7babf', 23, 10, 1794803675555, 0, 1, 10, 1794803675109003);
INSERT INTO public.branch VALUES ('default-admin', 2, 1, '\x6d61696e', NULL, NULL, 1794803674981, 1, NULL, NULL, NULL);


--
-- Data for Name: character; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public."character" VALUES ('default-admin', 1, 'yuki', '\xe5b08fe99baa', 1, 2, 1794803674918, 1794803674918, NULL);
INSERT INTO public."character" VALUES ('default-admin', 2, 'mvu', '\x4d5655', 1, 0, 1794803674931, 1794803674931, NULL);


--
-- Data for Name: character_story; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.character_story VALUES ('default-admin', 1, '\x007b2262617365223a22737472696374222c226372656174655f6d697373696e67223a747275657d', '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a34302c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99225d7d', '\x6c61adebc3212b913b3c6c4a67eac28f', '\x005b22e4bda0e5a5bde38082402e414444285c22e5b08fe99baa2ee5a5bde6849f5c222c2031293b222c22e58f88e8a781e99da2e4ba86e38082225d');
INSERT INTO public.character_story VALUES ('default-admin', 2, '\x00226d767522', '\x007b22246d657461223a7b22657874656e7369626c65223a747275657d2c226870223a5b31302c226865616c7468225d2c22626167223a5b22726f7065222c22245f5f4d4554415f455854454e5349424c455f5f24225d7d', '\x3da0782555e8ef2fa8e8d0164f8ea0de', NULL);


--
-- Data for Name: event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.event VALUES ('default-admin', 929, 0, 0, NULL, 1794803674918000, 27, NULL, NULL, 'yuki', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event VALUES ('default-admin', 930, 0, 0, NULL, 1794803674931000, 27, NULL, NULL, 'mvu', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event VALUES ('default-admin', 933, 1, 1, NULL, 1794803674954000, 4, NULL, NULL, 'story', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event VALUES ('default-admin', 933, 2, 1, 1, 1794803674954001, 9, NULL, '\x6d61696e', '01a1e2a2-af4a-7302-b450-dc8cb03bdf3c', NULL, NULL, NULL, NULL, '\x007b22666c6f6f725f6e6f223a302c227374617465223a22636f6d6d6974746564227d');
INSERT INTO public.event VALUES ('default-admin', 933, 3, 1, 1, 1794803674954002, 15, NULL, '\x6d61696e', '01a1e2a2-af49-79a2-bdc9-01b21510c2a1', NULL, NULL, NULL, NULL, '\x007b22666c6f6f725f6964223a2230316131653261322d616634612d373330322d623435302d646338636230336264663363222c22706167655f6e6f223a302c2276657273696f6e223a302c2269735f616374697665223a747275657d');
INSERT INTO public.event VALUES ('default-admin', 933, 4, 1, 1, 1794803674954003, 21, NULL, '\x6d61696e', 'f81bea44-2637-4c6e-93eb-1b3d14a3066e', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2230316131653261322d616634392d373961322d626463392d303162323135313063326131227d');
INSERT INTO public.event VALUES ('default-admin', 933, 5, 1, 1, 1794803674954004, 15, NULL, '\x6d61696e', '01a1e2a2-af49-79a3-a249-3f2edc0763fb', NULL, NULL, NULL, NULL, '\x007b22666c6f6f725f6964223a2230316131653261322d616634612d373330322d623435302d646338636230336264663363222c22706167655f6e6f223a302c2276657273696f6e223a312c2269735f616374697665223a66616c73657d');
INSERT INTO public.event VALUES ('default-admin', 933, 6, 1, 1, 1794803674954005, 21, NULL, '\x6d61696e', '939cb225-46de-48c4-bf6f-c0325d27facd', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2230316131653261322d616634392d373961332d613234392d336632656463303736336662227d');
INSERT INTO public.event VALUES ('default-admin', 933, 7, 1, 1, 1794803674954006, 12, NULL, '\x6d61696e', '01a1e2a2-af4a-7302-b450-dc8cb03bdf3c', NULL, NULL, NULL, NULL, '\x007b22666c6f6f725f6e6f223a302c227374617465223a22636f6d6d6974746564227d');
INSERT INTO public.event VALUES ('default-admin', 935, 1, 2, NULL, 1794803674981000, 4, NULL, NULL, 'plain', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event VALUES ('default-admin', 936, 1, 3, NULL, 1794803674985000, 4, NULL, NULL, 'mvu-chat', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event VALUES ('default-admin', 937, 3, 1, 1, 1794803674994003, 100, NULL, '\x6d61696e', '01a1e2a2-af6e-776d-8921-9f0d9cbbcfb8', NULL, NULL, NULL, NULL, '\x005b747275652c312c5b2273746f72792d31222c302c302c747275655d2c2230316335333133632d356264652d343566652d616562382d366661346233623063393334225d');
INSERT INTO public.event VALUES ('default-admin', 939, 3, 1, 1, 1794803675004003, 100, NULL, '\x6d61696e', '01a1e2a2-af7a-7b72-bab0-d1314018e98f', NULL, NULL, NULL, NULL, '\x005b747275652c322c5b2273746f72792d32222c302c302c747275655d2c2232363566313466382d353166382d343439652d393735332d373730303338346465343534225d');
INSERT INTO public.event VALUES ('default-admin', 941, 3, 1, 1, 1794803675024003, 100, NULL, '\x6d61696e', '01a1e2a2-af8e-7d47-8cf1-604f8e1e789d', NULL, NULL, NULL, NULL, '\x005b747275652c332c5b2273746f72792d33222c302c302c747275655d2c2261323136653137612d343063622d346439312d613939302d333631353431333965376663225d');
INSERT INTO public.event VALUES ('default-admin', 943, 3, 1, 1, 1794803675035003, 100, NULL, '\x6d61696e', '01a1e2a2-af99-7740-bc59-c1cdc6bc6823', NULL, NULL, NULL, NULL, '\x005b747275652c342c5b2273746f72792d34222c302c302c747275655d2c2237323437373337352d393162612d343065612d386163372d623234343238393932393336225d');
INSERT INTO public.event VALUES ('default-admin', 944, 3, 1, 1, 1794803675044003, 100, NULL, '\x6d61696e', '01a1e2a2-afa3-7199-b46c-b56bd7e360dd', NULL, NULL, NULL, NULL, '\x005b747275652c352c5b2273746f72792d35222c302c302c747275655d2c2232383865633434312d613234302d346435642d623437342d313262646138656364393763225d');
INSERT INTO public.event VALUES ('default-admin', 946, 3, 1, 1, 1794803675058003, 100, NULL, '\x6d61696e', '01a1e2a2-afad-71aa-a43b-121bca136cb0', NULL, NULL, NULL, NULL, '\x005b747275652c362c5b2273746f72792d36222c302c302c747275655d2c2235326233383030352d336334632d343366392d623832332d353466643033646561326238225d');
INSERT INTO public.event VALUES ('default-admin', 948, 3, 1, 1, 1794803675071003, 100, NULL, '\x6d61696e', '01a1e2a2-afbb-754e-9e67-cb42722159b7', NULL, NULL, NULL, NULL, '\x005b747275652c372c5b2273746f72792d37222c302c302c747275655d2c2235326134383636622d363239662d343562642d383562362d663364633064323636383934225d');
INSERT INTO public.event VALUES ('default-admin', 949, 3, 1, 1, 1794803675081003, 100, NULL, '\x6d61696e', '01a1e2a2-afc7-7eab-9762-9a12dd5793a7', NULL, NULL, NULL, NULL, '\x005b747275652c382c5b2273746f72792d38222c302c302c747275655d2c2264366364303666372d623631392d343838632d613030662d343338393230376439353933225d');
INSERT INTO public.event VALUES ('default-admin', 951, 3, 1, 1, 1794803675094003, 100, NULL, '\x6d61696e', '01a1e2a2-afd0-7bc0-bdee-643a4f664427', NULL, NULL, NULL, NULL, '\x005b747275652c392c5b2273746f72792d39222c302c302c747275655d2c2237646362656538652d343161662d343133392d623735392d613434343238373666623736225d');
INSERT INTO public.event VALUES ('default-admin', 953, 3, 1, 1, 1794803675109003, 100, NULL, '\x6d61696e', '01a1e2a2-afe2-77d8-99b3-58fc0ce772ec', NULL, NULL, NULL, NULL, '\x005b747275652c31302c5b2273746f72792d3130222c302c302c747275655d2c2230396364363636662d663966382d343162392d616266382d366639656264393633316337225d');
INSERT INTO public.event VALUES ('default-admin', 954, 3, 1, 1, 1794803675118003, 100, NULL, '\x6d61696e', '01a1e2a2-afed-74ed-b58c-6fcfb0ca5093', NULL, NULL, NULL, NULL, '\x005b747275652c31312c5b2273746f72792d3131222c302c302c747275655d2c2230383230646132352d393730642d343435352d383466302d346363646135623933613238225d');
INSERT INTO public.event VALUES ('default-admin', 956, 3, 1, 1, 1794803675131003, 100, NULL, '\x6d61696e', '01a1e2a2-aff9-7e16-bfe0-7023b5200628', NULL, NULL, NULL, NULL, '\x005b747275652c31322c5b2273746f72792d3132222c302c302c747275655d2c2231663364373066632d306632392d343332332d613338622d333865653430633661343334225d');
INSERT INTO public.event VALUES ('default-admin', 959, 3, 1, 1, 1794803675156003, 100, NULL, '\x6d61696e', '01a1e2a2-b012-7c62-a734-02b8e61618ce', NULL, NULL, NULL, NULL, '\x005b747275652c31332c5b2273746f72792d3133222c302c302c747275655d2c2266383232666331372d323630662d343138392d386362642d343432303731646236643235225d');
INSERT INTO public.event VALUES ('default-admin', 960, 3, 1, 1, 1794803675165003, 100, NULL, '\x6d61696e', '01a1e2a2-b01c-738e-8596-733c23af5e8a', NULL, NULL, NULL, NULL, '\x005b747275652c31342c5b2273746f72792d3134222c302c302c747275655d2c2236393565306363362d356332342d343066642d613064312d343662656466326265356464225d');
INSERT INTO public.event VALUES ('default-admin', 962, 3, 1, 1, 1794803675178003, 100, NULL, '\x6d61696e', '01a1e2a2-b029-7658-9147-dd9cf9705e0e', NULL, NULL, NULL, NULL, '\x005b747275652c31352c5b2273746f72792d3135222c302c302c747275655d2c2232303665623966632d623936362d343430392d613839632d616664636436343263633231225d');
INSERT INTO public.event VALUES ('default-admin', 964, 3, 1, 1, 1794803675195003, 100, NULL, '\x6d61696e', '01a1e2a2-b039-7d51-8246-0378fd5352bf', NULL, NULL, NULL, NULL, '\x005b747275652c31362c5b2273746f72792d3136222c302c302c747275655d2c2266303165633964382d323764612d346363332d396538302d623534633931376162353165225d');
INSERT INTO public.event VALUES ('default-admin', 966, 3, 1, 1, 1794803675221003, 100, NULL, '\x6d61696e', '01a1e2a2-b043-7210-9eb4-2a1beb8c54f3', NULL, NULL, NULL, NULL, '\x005b747275652c31372c5b2273746f72792d3137222c302c302c747275655d2c2238373830653164642d616633342d343135662d383766662d613236353931616639623536225d');
INSERT INTO public.event VALUES ('default-admin', 968, 3, 1, 1, 1794803675231003, 100, NULL, '\x6d61696e', '01a1e2a2-b05d-7f3e-9580-5eff993fbdfd', NULL, NULL, NULL, NULL, '\x005b747275652c31382c5b2273746f72792d3138222c302c302c747275655d2c2265653239653235382d356132652d343466622d626266642d343065366365643333376334225d');
INSERT INTO public.event VALUES ('default-admin', 969, 3, 1, 1, 1794803675241003, 100, NULL, '\x6d61696e', '01a1e2a2-b067-7ee1-8022-3f6bf383cfc3', NULL, NULL, NULL, NULL, '\x005b747275652c31392c5b2273746f72792d3139222c302c302c747275655d2c2233393165343735332d383062332d343936642d396537342d623261663166346633363161225d');
INSERT INTO public.event VALUES ('default-admin', 971, 3, 1, 1, 1794803675253003, 100, NULL, '\x6d61696e', '01a1e2a2-b073-7b30-af6d-9734c89815b9', NULL, NULL, NULL, NULL, '\x005b747275652c32302c5b2273746f72792d3230222c302c302c747275655d2c2264303337656530612d366162372d343263372d616531352d663963363939346332363838225d');
INSERT INTO public.event VALUES ('default-admin', 972, 3, 1, 1, 1794803675262003, 100, NULL, '\x6d61696e', '01a1e2a2-b07c-76ef-a430-d395cf428e7f', NULL, NULL, NULL, NULL, '\x005b747275652c32312c5b2273746f72792d3231222c302c302c747275655d2c2261626665313734662d363539612d346134352d383034342d336564353664326566396364225d');
INSERT INTO public.event VALUES ('default-admin', 975, 3, 1, 1, 1794803675283003, 100, NULL, '\x6d61696e', '01a1e2a2-b092-72e0-8d7d-a3a2b08693af', NULL, NULL, NULL, NULL, '\x005b747275652c32322c5b2273746f72792d3232222c302c302c747275655d2c2263346165633466342d613363382d343439362d393734342d316633346139363965353039225d');
INSERT INTO public.event VALUES ('default-admin', 976, 3, 1, 1, 1794803675294003, 100, NULL, '\x6d61696e', '01a1e2a2-b09b-72bf-b5a4-f2d033f969e1', NULL, NULL, NULL, NULL, '\x005b747275652c32332c5b2273746f72792d3233222c302c302c747275655d2c2263393232386437352d653530622d343832632d386239652d396536623432613462633861225d');
INSERT INTO public.event VALUES ('default-admin', 978, 3, 1, 1, 1794803675304003, 100, NULL, '\x6d61696e', '01a1e2a2-b0a6-7aa3-a40d-12de0e0ed7a0', NULL, NULL, NULL, NULL, '\x005b747275652c32342c5b2273746f72792d3234222c302c302c747275655d2c2236343133643034612d363563612d346131662d383332322d383061313639616433643961225d');
INSERT INTO public.event VALUES ('default-admin', 980, 3, 1, 1, 1794803675320003, 100, NULL, '\x6d61696e', '01a1e2a2-b0b6-7c48-a0c0-f8e4dd837368', NULL, NULL, NULL, NULL, '\x005b747275652c32352c5b2273746f72792d3235222c302c302c747275655d2c2234353464623735362d356663342d343338302d393434382d323462333337323538383932225d');
INSERT INTO public.event VALUES ('default-admin', 982, 3, 1, 1, 1794803675335003, 100, NULL, '\x6d61696e', '01a1e2a2-b0c5-7c94-a8d6-631146bba59f', NULL, NULL, NULL, NULL, '\x005b747275652c32362c5b2273746f72792d3236222c302c302c747275655d2c2237643164646464362d393632312d346639302d613831652d656533656333303437633464225d');
INSERT INTO public.event VALUES ('default-admin', 983, 3, 1, 1, 1794803675344003, 100, NULL, '\x6d61696e', '01a1e2a2-b0cf-704e-99c6-017f60f353f2', NULL, NULL, NULL, NULL, '\x005b747275652c32372c5b2273746f72792d3237222c302c302c747275655d2c2265356162613430662d643362612d343835612d623661302d343338336539666130393130225d');
INSERT INTO public.event VALUES ('default-admin', 985, 3, 1, 1, 1794803675359003, 100, NULL, '\x6d61696e', '01a1e2a2-b0da-77b7-93a6-b6fa29e17aac', NULL, NULL, NULL, NULL, '\x005b747275652c32382c5b2273746f72792d3238222c302c302c747275655d2c2265323838656637622d363438362d343439632d393861372d656230393233656461633736225d');
INSERT INTO public.event VALUES ('default-admin', 987, 3, 1, 1, 1794803675370003, 100, NULL, '\x6d61696e', '01a1e2a2-b0e9-7615-a6d0-854a84245bf6', NULL, NULL, NULL, NULL, '\x005b747275652c32392c5b2273746f72792d3239222c302c302c747275655d2c2233616661313537652d373238652d343263352d616237342d396562333861356235316464225d');
INSERT INTO public.event VALUES ('default-admin', 989, 3, 1, 1, 1794803675382003, 100, NULL, '\x6d61696e', '01a1e2a2-b0f5-75e3-aca2-94d14cd5c114', NULL, NULL, NULL, NULL, '\x005b747275652c33302c5b2273746f72792d3330222c302c302c747275655d2c2235346266376636652d663234392d343462612d393161612d356662336230633632333437225d');
INSERT INTO public.event VALUES ('default-admin', 990, 3, 1, 1, 1794803675395003, 100, NULL, '\x6d61696e', '01a1e2a2-b101-7568-88d2-a2a75156dd17', NULL, NULL, NULL, NULL, '\x005b747275652c33312c5b2273746f72792d3331222c302c302c747275655d2c2262343264653438612d363135662d343462382d616365352d376664303865306334306463225d');
INSERT INTO public.event VALUES ('default-admin', 992, 3, 1, 1, 1794803675405003, 100, NULL, '\x6d61696e', '01a1e2a2-b10b-767d-aa30-888114d084ac', NULL, NULL, NULL, NULL, '\x005b747275652c33322c5b2273746f72792d3332222c302c302c747275655d2c2237363761383630612d383733322d343238382d623961612d626138626365663435346432225d');
INSERT INTO public.event VALUES ('default-admin', 993, 3, 1, 1, 1794803675413003, 100, NULL, '\x6d61696e', '01a1e2a2-b114-74d8-a7eb-0773e53fd770', NULL, NULL, NULL, NULL, '\x005b747275652c33332c5b2273746f72792d3333222c302c302c747275655d2c2263333663353164382d376166362d343131662d386438392d303734366339396135303763225d');
INSERT INTO public.event VALUES ('default-admin', 995, 3, 1, 1, 1794803675422003, 100, NULL, '\x6d61696e', '01a1e2a2-b11d-70dd-865e-0c44dcabed63', NULL, NULL, NULL, NULL, '\x005b747275652c33342c5b2273746f72792d3334222c302c302c747275655d2c2232626138633761332d633938652d346632362d393736322d396232643233623238306135225d');
INSERT INTO public.event VALUES ('default-admin', 997, 3, 1, 1, 1794803675435003, 100, NULL, '\x6d61696e', '01a1e2a2-b129-762b-b95e-83031064ae57', NULL, NULL, NULL, NULL, '\x005b747275652c33352c5b2273746f72792d3335222c302c302c747275655d2c2262356663336434632d356238372d343534332d626661352d343064616338323534313864225d');
INSERT INTO public.event VALUES ('default-admin', 998, 3, 1, 1, 1794803675445003, 100, NULL, '\x6d61696e', '01a1e2a2-b133-7abe-b1a3-e93da5b6b9af', NULL, NULL, NULL, NULL, '\x005b747275652c33362c5b2273746f72792d3336222c302c302c747275655d2c2231306162386435352d383564382d346135302d616663332d643066323239353365376663225d');
INSERT INTO public.event VALUES ('default-admin', 1000, 3, 1, 1, 1794803675455003, 100, NULL, '\x6d61696e', '01a1e2a2-b13d-7bc8-b2c1-cf9172a6a6ae', NULL, NULL, NULL, NULL, '\x005b747275652c33372c5b2273746f72792d3337222c302c302c747275655d2c2264656138363666302d313964392d346334652d393965352d646631633537303561373665225d');
INSERT INTO public.event VALUES ('default-admin', 1002, 3, 1, 1, 1794803675477003, 100, NULL, '\x6d61696e', '01a1e2a2-b153-7a9d-8ab1-905b7c3d4291', NULL, NULL, NULL, NULL, '\x005b747275652c33382c5b2273746f72792d3338222c302c302c747275655d2c2262383036656264322d336439332d346664312d393739662d303334616436656461336562225d');
INSERT INTO public.event VALUES ('default-admin', 1004, 3, 1, 1, 1794803675487003, 100, NULL, '\x6d61696e', '01a1e2a2-b15d-7946-a01d-ef6811954fa7', NULL, NULL, NULL, NULL, '\x005b747275652c33392c5b2273746f72792d3339222c302c302c747275655d2c2233383661323434322d656464372d343261382d393266322d346534376635393131393637225d');
INSERT INTO public.event VALUES ('default-admin', 1006, 3, 1, 1, 1794803675502003, 100, NULL, '\x6d61696e', '01a1e2a2-b16c-7b17-8c17-485e997d566a', NULL, NULL, NULL, NULL, '\x005b747275652c34302c5b2273746f72792d3430222c302c302c747275655d2c2233623164393233342d313062372d343136652d613161382d343739643165653062313232225d');
INSERT INTO public.event VALUES ('default-admin', 1008, 2, 1, 1, 1794803675526003, 100, NULL, '\x6d61696e', '01a1e2a2-b184-7323-8a84-84aad021b058', NULL, NULL, NULL, NULL, '\x005b747275652c34312c5b2273746f72792d75736572222c302c302c747275655d2c6e756c6c5d');
INSERT INTO public.event VALUES ('default-admin', 1009, 2, 1, 1, 1794803675532002, 100, NULL, '\x6d61696e', '01a1e2a2-b16c-7b17-8c17-485e997d566a', NULL, NULL, NULL, NULL, '\x005b66616c73652c34302c5b2273746f72792d343062222c302c312c747275655d2c2263343433393036332d333532622d343231392d393836652d346433333066633638323636225d');
INSERT INTO public.event VALUES ('default-admin', 1011, 3, 3, 1, 1794803675547003, 100, NULL, '\x6d61696e', '01a1e2a2-b194-7722-b67c-63320bf09c8b', NULL, NULL, NULL, NULL, '\x005b747275652c302c5b226d76752d31222c302c302c747275655d2c2232336266356461612d326336382d343164632d383665662d353362333461363762396661225d');
INSERT INTO public.event VALUES ('default-admin', 1012, 0, 1, 88, 1794803675555000, 7, NULL, '\xe694afe7babf', 'story', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event VALUES ('default-admin', 1014, 3, 1, 88, 1794803675561003, 100, NULL, '\xe694afe7babf', '01a1e2a2-b1a7-7272-b5ff-0c6e84a03e52', NULL, NULL, NULL, NULL, '\x005b747275652c31312c5b22666f726b2d31222c302c302c747275655d2c2264336539393837372d616438342d346364322d386436612d336666363833356362386436225d');
INSERT INTO public.event VALUES ('default-admin', 1015, 0, 1, 1, 1794803675573000, 22, NULL, '\x6d61696e', 'd037ee0a-6ab7-42c7-ae15-f9c6994c2688', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3230227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 0, 1, 1, 1794803675591000, 21, NULL, '\x6d61696e', 'abfe174f-659a-4a45-8044-3ed56d2ef9cd', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3231227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 1, 1, 1, 1794803675591001, 21, NULL, '\x6d61696e', 'c4aec4f4-a3c8-4496-9744-1f34a969e509', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3232227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 2, 1, 1, 1794803675591002, 21, NULL, '\x6d61696e', 'c9228d75-e50b-482c-8b9e-9e6b42a4bc8a', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3233227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 3, 1, 1, 1794803675591003, 21, NULL, '\x6d61696e', '6413d04a-65ca-4a1f-8322-80a169ad3d9a', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3234227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 4, 1, 1, 1794803675591004, 21, NULL, '\x6d61696e', '454db756-5fc4-4380-9448-24b337258892', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3235227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 5, 1, 1, 1794803675591005, 21, NULL, '\x6d61696e', '7d1dddd6-9621-4f90-a81e-ee3ec3047c4d', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3236227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 6, 1, 1, 1794803675591006, 21, NULL, '\x6d61696e', 'e5aba40f-d3ba-485a-b6a0-4383e9fa0910', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3237227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 7, 1, 1, 1794803675591007, 21, NULL, '\x6d61696e', 'e288ef7b-6486-449c-98a7-eb0923edac76', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3238227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 8, 1, 1, 1794803675591008, 21, NULL, '\x6d61696e', '3afa157e-728e-42c5-ab74-9eb38a5b51dd', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3239227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 9, 1, 1, 1794803675591009, 21, NULL, '\x6d61696e', '54bf7f6e-f249-44ba-91aa-5fb3b0c62347', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3330227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 10, 1, 1, 1794803675591010, 21, NULL, '\x6d61696e', 'b42de48a-615f-44b8-ace5-7fd08e0c40dc', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3331227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 11, 1, 1, 1794803675591011, 21, NULL, '\x6d61696e', '767a860a-8732-4288-b9aa-ba8bcef454d2', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3332227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 12, 1, 1, 1794803675591012, 21, NULL, '\x6d61696e', 'c36c51d8-7af6-411f-8d89-0746c99a507c', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3333227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 13, 1, 1, 1794803675591013, 21, NULL, '\x6d61696e', '2ba8c7a3-c98e-4f26-9762-9b2d23b280a5', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3334227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 14, 1, 1, 1794803675591014, 21, NULL, '\x6d61696e', 'b5fc3d4c-5b87-4543-bfa5-40dac825418d', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3335227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 15, 1, 1, 1794803675591015, 21, NULL, '\x6d61696e', '10ab8d55-85d8-4a50-afc3-d0f22953e7fc', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3336227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 16, 1, 1, 1794803675591016, 21, NULL, '\x6d61696e', 'dea866f0-19d9-4c4e-99e5-df1c5705a76e', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3337227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 17, 1, 1, 1794803675591017, 21, NULL, '\x6d61696e', 'b806ebd2-3d93-4fd1-979f-034ad6eda3eb', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3338227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 18, 1, 1, 1794803675591018, 21, NULL, '\x6d61696e', '386a2442-edd7-42a8-92f2-4e47f5911967', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d3339227d');
INSERT INTO public.event VALUES ('default-admin', 1017, 19, 1, 1, 1794803675591019, 21, NULL, '\x6d61696e', 'c4439063-352b-4219-986e-4d330fc68266', NULL, NULL, NULL, NULL, '\x007b22706167655f6964223a2273746f72792d343062227d');
INSERT INTO public.event VALUES ('default-admin', 1019, 0, 0, NULL, 1794803675614000, 0, NULL, NULL, '01a1e2a2-b1de-7062-a018-7c0675aee0f3', 0, 0, NULL, '\x7468656d65', NULL);
INSERT INTO public.event VALUES ('default-admin', 1021, 0, 2, NULL, 1794803675626000, 0, NULL, NULL, '01a1e2a2-b1ea-7606-85c5-1123575f7a95', 1, 0, NULL, '\x6d6f6f64', NULL);
INSERT INTO public.event VALUES ('default-admin', 1022, 0, 2, 1, 1794803675629000, 0, NULL, '\x6d61696e', '01a1e2a2-b1ed-76d3-8a19-2053eac023bb', 2, 1, NULL, '\x676f6c64', NULL);
INSERT INTO public.event VALUES ('default-admin', 1023, 0, 2, 1, 1794803675634000, 1, NULL, '\x6d61696e', '01a1e2a2-b1ed-76d3-8a19-2053eac023bb', 2, 1, NULL, '\x676f6c64', NULL);
INSERT INTO public.event VALUES ('default-admin', 1025, 0, 2, NULL, 1794803675637000, 0, NULL, NULL, '01a1e2a2-b1f5-777c-94ab-086976980082', 1, 0, NULL, '\x6f6e6365', NULL);
INSERT INTO public.event VALUES ('default-admin', 1026, 0, 2, 1, 1794803675641000, 9, NULL, '\x6d61696e', '01a1e2a2-b1f9-7311-acf8-7e1cd60d08e3', NULL, NULL, NULL, NULL, '\x007b22666c6f6f725f6e6f223a302c227374617465223a226472616674227d');
INSERT INTO public.event VALUES ('default-admin', 1027, 0, 2, 1, 1794803675643000, 15, NULL, '\x6d61696e', 'plain-page', NULL, NULL, NULL, NULL, '\x007b22666c6f6f725f6964223a2230316131653261322d623166392d373331312d616366382d376531636436306430386533222c22706167655f6e6f223a302c2276657273696f6e223a302c2269735f616374697665223a747275657d');
INSERT INTO public.event VALUES ('default-admin', 1028, 0, 2, 1, 1794803675648000, 0, NULL, '\x6d61696e', '01a1e2a2-b200-7804-ab11-96ea98a56090', 4, 3, 'plain-page', '\x6870', NULL);


--
-- Data for Name: floor; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.floor VALUES ('default-admin', 1, 2, '01a1e2a2-af4a-7302-b450-dc8cb03bdf3c', 1, 0, 2, NULL, 1794803674954, 1794803674954, 0, 1794803674954006, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 5, '01a1e2a2-af6e-776d-8921-9f0d9cbbcfb8', 1, 1, 2, NULL, 1794803674994, 1794803674994, 0, 1794803674994003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 23, '01a1e2a2-afe2-77d8-99b3-58fc0ce772ec', 1, 10, 2, NULL, 1794803675109, 1794803675109, 0, 1794803675109003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 7, '01a1e2a2-af7a-7b72-bab0-d1314018e98f', 1, 2, 2, NULL, 1794803675004, 1794803675004, 0, 1794803675004003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 9, '01a1e2a2-af8e-7d47-8cf1-604f8e1e789d', 1, 3, 2, NULL, 1794803675024, 1794803675024, 0, 1794803675024003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 11, '01a1e2a2-af99-7740-bc59-c1cdc6bc6823', 1, 4, 2, NULL, 1794803675035, 1794803675035, 0, 1794803675035003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 13, '01a1e2a2-afa3-7199-b46c-b56bd7e360dd', 1, 5, 2, NULL, 1794803675044, 1794803675044, 0, 1794803675044003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 25, '01a1e2a2-afed-74ed-b58c-6fcfb0ca5093', 1, 11, 2, NULL, 1794803675118, 1794803675118, 0, 1794803675118003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 15, '01a1e2a2-afad-71aa-a43b-121bca136cb0', 1, 6, 2, NULL, 1794803675058, 1794803675058, 0, 1794803675058003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 17, '01a1e2a2-afbb-754e-9e67-cb42722159b7', 1, 7, 2, NULL, 1794803675071, 1794803675071, 0, 1794803675071003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 19, '01a1e2a2-afc7-7eab-9762-9a12dd5793a7', 1, 8, 2, NULL, 1794803675081, 1794803675081, 0, 1794803675081003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 21, '01a1e2a2-afd0-7bc0-bdee-643a4f664427', 1, 9, 2, NULL, 1794803675094, 1794803675094, 0, 1794803675094003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 27, '01a1e2a2-aff9-7e16-bfe0-7023b5200628', 1, 12, 2, NULL, 1794803675131, 1794803675131, 0, 1794803675131003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 39, '01a1e2a2-b05d-7f3e-9580-5eff993fbdfd', 1, 18, 2, NULL, 1794803675231, 1794803675231, 0, 1794803675231003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 29, '01a1e2a2-b012-7c62-a734-02b8e61618ce', 1, 13, 2, NULL, 1794803675156, 1794803675156, 0, 1794803675156003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 31, '01a1e2a2-b01c-738e-8596-733c23af5e8a', 1, 14, 2, NULL, 1794803675165, 1794803675165, 0, 1794803675165003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 33, '01a1e2a2-b029-7658-9147-dd9cf9705e0e', 1, 15, 2, NULL, 1794803675178, 1794803675178, 0, 1794803675178003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 35, '01a1e2a2-b039-7d51-8246-0378fd5352bf', 1, 16, 2, NULL, 1794803675195, 1794803675195, 0, 1794803675195003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 55, '01a1e2a2-b0c5-7c94-a8d6-631146bba59f', 1, 26, 2, NULL, 1794803675335, 1794803675335, 0, 1794803675335003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 37, '01a1e2a2-b043-7210-9eb4-2a1beb8c54f3', 1, 17, 2, NULL, 1794803675221, 1794803675221, 0, 1794803675221003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 41, '01a1e2a2-b067-7ee1-8022-3f6bf383cfc3', 1, 19, 2, NULL, 1794803675241, 1794803675241, 0, 1794803675241003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 49, '01a1e2a2-b09b-72bf-b5a4-f2d033f969e1', 1, 23, 2, NULL, 1794803675294, 1794803675294, 0, 1794803675294003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 43, '01a1e2a2-b073-7b30-af6d-9734c89815b9', 1, 20, 2, NULL, 1794803675253, 1794803675253, 0, 1794803675253003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 47, '01a1e2a2-b092-72e0-8d7d-a3a2b08693af', 1, 22, 2, NULL, 1794803675283, 1794803675283, 0, 1794803675283003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 51, '01a1e2a2-b0a6-7aa3-a40d-12de0e0ed7a0', 1, 24, 2, NULL, 1794803675304, 1794803675304, 0, 1794803675304003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 65, '01a1e2a2-b101-7568-88d2-a2a75156dd17', 1, 31, 2, NULL, 1794803675395, 1794803675395, 0, 1794803675395003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 53, '01a1e2a2-b0b6-7c48-a0c0-f8e4dd837368', 1, 25, 2, NULL, 1794803675320, 1794803675320, 0, 1794803675320003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 61, '01a1e2a2-b0e9-7615-a6d0-854a84245bf6', 1, 29, 2, NULL, 1794803675370, 1794803675370, 0, 1794803675370003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 57, '01a1e2a2-b0cf-704e-99c6-017f60f353f2', 1, 27, 2, NULL, 1794803675344, 1794803675344, 0, 1794803675344003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 59, '01a1e2a2-b0da-77b7-93a6-b6fa29e17aac', 1, 28, 2, NULL, 1794803675359, 1794803675359, 0, 1794803675359003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 63, '01a1e2a2-b0f5-75e3-aca2-94d14cd5c114', 1, 30, 2, NULL, 1794803675382, 1794803675382, 0, 1794803675382003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 71, '01a1e2a2-b11d-70dd-865e-0c44dcabed63', 1, 34, 2, NULL, 1794803675422, 1794803675422, 0, 1794803675422003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 67, '01a1e2a2-b10b-767d-aa30-888114d084ac', 1, 32, 2, NULL, 1794803675405, 1794803675405, 0, 1794803675405003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 69, '01a1e2a2-b114-74d8-a7eb-0773e53fd770', 1, 33, 2, NULL, 1794803675413, 1794803675413, 0, 1794803675413003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 73, '01a1e2a2-b129-762b-b95e-83031064ae57', 1, 35, 2, NULL, 1794803675435, 1794803675435, 0, 1794803675435003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 75, '01a1e2a2-b133-7abe-b1a3-e93da5b6b9af', 1, 36, 2, NULL, 1794803675445, 1794803675445, 0, 1794803675445003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 77, '01a1e2a2-b13d-7bc8-b2c1-cf9172a6a6ae', 1, 37, 2, NULL, 1794803675455, 1794803675455, 0, 1794803675455003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 79, '01a1e2a2-b153-7a9d-8ab1-905b7c3d4291', 1, 38, 2, NULL, 1794803675477, 1794803675477, 0, 1794803675477003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 81, '01a1e2a2-b15d-7946-a01d-ef6811954fa7', 1, 39, 2, NULL, 1794803675487, 1794803675487, 0, 1794803675487003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 45, '01a1e2a2-b07c-76ef-a430-d395cf428e7f', 1, 21, 2, NULL, 1794803675262, 1794803675262, 0, 1794803675262003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 85, '01a1e2a2-b184-7323-8a84-84aad021b058', 1, 41, 2, NULL, 1794803675526, 1794803675526, 0, 1794803675526003, 0, 0);
INSERT INTO public.floor VALUES ('default-admin', 1, 83, '01a1e2a2-b16c-7b17-8c17-485e997d566a', 1, 40, 2, NULL, 1794803675502, 1794803675502, 0, 1794803675532002, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 3, 2, '01a1e2a2-b194-7722-b67c-63320bf09c8b', 1, 0, 2, NULL, 1794803675547, 1794803675547, 0, 1794803675547003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 1, 89, '01a1e2a2-b1a7-7272-b5ff-0c6e84a03e52', 88, 11, 2, NULL, 1794803675561, 1794803675561, 0, 1794803675561003, 0, 1);
INSERT INTO public.floor VALUES ('default-admin', 2, 2, '01a1e2a2-b1f9-7311-acf8-7e1cd60d08e3', 1, 0, 0, NULL, 1794803675641, 1794803675641, 0, NULL, 0, 0);


--
-- Data for Name: floor_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: global_snapshot; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: global_snapshot_body; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: global_snapshot_tag; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: history; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.history VALUES ('default-admin', 0, 0, 0, '\x7468656d65', 1794803675614000, '01a1e2a2-b1de-7062-a018-7c0675aee0f3', 0, NULL, '\x0022e5a49c22');
INSERT INTO public.history VALUES ('default-admin', 2, 1, 0, '\x6d6f6f64', 1794803675626000, '01a1e2a2-b1ea-7606-85c5-1123575f7a95', 0, NULL, '\x007b2261223a5b312c322e352c393030373139393235343734303939335d7d');
INSERT INTO public.history VALUES ('default-admin', 2, 2, 1, '\x676f6c64', 1794803675629000, '01a1e2a2-b1ed-76d3-8a19-2053eac023bb', 0, NULL, '\x00353030');
INSERT INTO public.history VALUES ('default-admin', 2, 2, 1, '\x676f6c64', 1794803675634000, '01a1e2a2-b1ed-76d3-8a19-2053eac023bb', 0, NULL, '\x00363030');
INSERT INTO public.history VALUES ('default-admin', 2, 1, 0, '\x6f6e6365', 1794803675637000, '01a1e2a2-b1f5-777c-94ab-086976980082', 0, NULL, '\x0031');
INSERT INTO public.history VALUES ('default-admin', 2, 4, 3, '\x6870', 1794803675648000, '01a1e2a2-b200-7804-ab11-96ea98a56090', 0, NULL, '\x0033');


--
-- Data for Name: job; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: kept_answer; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.kept_answer VALUES ('default-admin', '\x676f6c64656e', '\xf98e4eee8c75b2d3b0ac7cb1c14df159f33eeac87b4f53082b93a57469f2ba4a', '\x007b22526573756c74223a5b5b2243726561746564222c7b226964223a2230316131653261322d623166352d373737632d393461622d303836393736393830303832222c22686f7374223a7b2243686174223a22706c61696e227d2c226b6579223a226f6e6365222c2276616c7565223a2231222c22757064617465645f6174223a313739343830333637353633372c227265766973696f6e223a313739343830333637353633373030307d5d5d7d', 1794803675637);


--
-- Data for Name: keyframe; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.keyframe VALUES ('default-admin', 1, 1794803674954003, '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a34312c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99225d7d');
INSERT INTO public.keyframe VALUES ('default-admin', 1, 1794803674954005, '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a34302c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99225d7d');
INSERT INTO public.keyframe VALUES ('default-admin', 1, 1794803675156003, '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a3133322c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99222c22e789a931222c22e789a932222c22e789a933222c22e789a934222c22e789a935222c22e789a936222c22e789a937222c22e789a938222c22e789a939222c22e789a93130222c22e789a93131222c22e789a93132222c22e789a93133225d2c22e7aba0223a31337d');
INSERT INTO public.keyframe VALUES ('default-admin', 1, 1794803675320003, '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a3336362c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99222c22e789a931222c22e789a932222c22e789a933222c22e789a934222c22e789a935222c22e789a936222c22e789a937222c22e789a938222c22e789a939222c22e789a93130222c22e789a93131222c22e789a93132222c22e789a93133222c22e789a93134222c22e789a93135222c22e789a93136222c22e789a93137222c22e789a93138222c22e789a93139222c22e789a93230222c22e789a93231222c22e789a93232222c22e789a93233222c22e789a93234222c22e789a93235225d2c22e7aba0223a32357d');
INSERT INTO public.keyframe VALUES ('default-admin', 1, 1794803675455003, '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a3734342c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99222c22e789a931222c22e789a932222c22e789a933222c22e789a934222c22e789a935222c22e789a936222c22e789a937222c22e789a938222c22e789a939222c22e789a93130222c22e789a93131222c22e789a93132222c22e789a93133222c22e789a93134222c22e789a93135222c22e789a93136222c22e789a93137222c22e789a93138222c22e789a93139222c22e789a93230222c22e789a93231222c22e789a93232222c22e789a93233222c22e789a93234222c22e789a93235222c22e789a93236222c22e789a93237222c22e789a93238222c22e789a93239222c22e789a93330222c22e789a93331222c22e789a93332222c22e789a93333222c22e789a93334222c22e789a93335222c22e789a93336222c22e789a93337225d2c22e7aba0223a33377d');
INSERT INTO public.keyframe VALUES ('default-admin', 3, 1794803675547003, '\x007b22246d657461223a7b22657874656e7369626c65223a747275657d2c226870223a5b372c226865616c7468225d2c22626167223a5b22726f7065222c22245f5f4d4554415f455854454e5349424c455f5f24225d7d');
INSERT INTO public.keyframe VALUES ('default-admin', 1, 1794803675591004, '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a3336362c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99222c22e789a931222c22e789a932222c22e789a933222c22e789a934222c22e789a935222c22e789a936222c22e789a937222c22e789a938222c22e789a939222c22e789a93130222c22e789a93131222c22e789a93132222c22e789a93133222c22e789a93134222c22e789a93135222c22e789a93136222c22e789a93137222c22e789a93138222c22e789a93139222c22e789a93230222c22e789a93231222c22e789a93232222c22e789a93233222c22e789a93234222c22e789a93235225d2c22e7aba0223a32352c22e6898be694b9223a747275657d');
INSERT INTO public.keyframe VALUES ('default-admin', 1, 1794803675591016, '\x007b22e5b08fe99baa223a7b22e5a5bde6849f223a3734342c22e5bf83e68385223a22e5b9b3e99d99227d2c22e8838ce58c85223a5b22e992a5e58c99222c22e789a931222c22e789a932222c22e789a933222c22e789a934222c22e789a935222c22e789a936222c22e789a937222c22e789a938222c22e789a939222c22e789a93130222c22e789a93131222c22e789a93132222c22e789a93133222c22e789a93134222c22e789a93135222c22e789a93136222c22e789a93137222c22e789a93138222c22e789a93139222c22e789a93230222c22e789a93231222c22e789a93232222c22e789a93233222c22e789a93234222c22e789a93235222c22e789a93236222c22e789a93237222c22e789a93238222c22e789a93239222c22e789a93330222c22e789a93331222c22e789a93332222c22e789a93333222c22e789a93334222c22e789a93335222c22e789a93336222c22e789a93337225d2c22e7aba0223a33372c22e6898be694b9223a747275657d');


--
-- Data for Name: page; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.page VALUES ('default-admin', 1, 3, '01a1e2a2-af49-79a2-bdc9-01b21510c2a1', 2, 0, 0, 1, 1, '\x617373697374616e74', '\xe5b08fe99baa', 1794803674954, 1794803674954, 0, 1794803674954006, '\x2d4d516c314499572f9fab83795ca5c1', NULL);
INSERT INTO public.page VALUES ('default-admin', 1, 4, '01a1e2a2-af49-79a3-a249-3f2edc0763fb', 2, 0, 1, 1, 0, '\x617373697374616e74', '\xe5b08fe99baa', 1794803674954, 1794803674954, 0, 1794803674954006, '\x0ff7e776b4619689cde4d9910b195644', NULL);
INSERT INTO public.page VALUES ('default-admin', 1, 42, 'story-19', 41, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675241, 1794803675241, 0, 1794803675241003, '\xaab818c4649298c014d01d6a136eaf83', '\x33a250f8c70383d553522ae11a12f682');
INSERT INTO public.page VALUES ('default-admin', 1, 6, 'story-1', 5, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803674994, 1794803674994, 0, 1794803674994003, '\x28ff3ec0a7871bc2504bddc93db5be41', '\x6b9b69fe918c274331c43dabd13da636');
INSERT INTO public.page VALUES ('default-admin', 1, 28, 'story-12', 27, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675131, 1794803675131, 0, 1794803675131003, '\x2e6ac5d862de6ec40450477751a3a3d9', '\xe24718a67990599bc5ef06831ba9a1d3');
INSERT INTO public.page VALUES ('default-admin', 1, 8, 'story-2', 7, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675004, 1794803675004, 0, 1794803675004003, '\x008fff394ccebde9e1e0da2091379c18', '\x0b8341639cadf074dc2210f5f5c29b0f');
INSERT INTO public.page VALUES ('default-admin', 1, 10, 'story-3', 9, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675024, 1794803675024, 0, 1794803675024003, '\xf4cce0166c831749da641fb3e2e43404', '\xd4a56f5085cae75e53647157d845ee2a');
INSERT INTO public.page VALUES ('default-admin', 1, 12, 'story-4', 11, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675035, 1794803675035, 0, 1794803675035003, '\x0f359949a1eb6f8bb85a2f08797f2d88', '\xeb09b9a3fbe2aae50d8826178910e2a4');
INSERT INTO public.page VALUES ('default-admin', 1, 30, 'story-13', 29, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675156, 1794803675156, 0, 1794803675156003, '\xc058639df6ce1e7022f55e6a1ea58979', '\x151ca800abe03720045235dff76aa6ec');
INSERT INTO public.page VALUES ('default-admin', 1, 14, 'story-5', 13, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675044, 1794803675044, 0, 1794803675044003, '\x8a697993dca3f674deed20e60cf02202', '\x2ad9a657c860e398c4915eb2013de399');
INSERT INTO public.page VALUES ('default-admin', 1, 16, 'story-6', 15, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675058, 1794803675058, 0, 1794803675058003, '\x985b2cdf4bffa212447e85087d6d6565', '\x315c22a375cd700b584208444937d870');
INSERT INTO public.page VALUES ('default-admin', 1, 64, 'story-30', 63, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675382, 1794803675382, 0, 1794803675382003, '\x36aaafbdec37c70f3c825c7f0da93cc6', '\x28da180e9be7ce2d7c879b0e2c2039cb');
INSERT INTO public.page VALUES ('default-admin', 1, 18, 'story-7', 17, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675071, 1794803675071, 0, 1794803675071003, '\x39683d7d95241e427f4445435bfaf9a6', '\xe4eef6ad8a254dfe08a4bd657d32ae88');
INSERT INTO public.page VALUES ('default-admin', 1, 32, 'story-14', 31, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675165, 1794803675165, 0, 1794803675165003, '\xeae80943d6169b2d8124dad9d43b651d', '\x7b35126597871e73d88a3d79e41bc325');
INSERT INTO public.page VALUES ('default-admin', 1, 20, 'story-8', 19, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675081, 1794803675081, 0, 1794803675081003, '\x34c5f6923fe16dc59c35defebff128f1', '\x04473cba4909e5599e7080df475990d0');
INSERT INTO public.page VALUES ('default-admin', 1, 22, 'story-9', 21, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675094, 1794803675094, 0, 1794803675094003, '\x6c3b0a2be1387071313a23bd39357310', '\x13ee627a86cbbbf39354069994bdd772');
INSERT INTO public.page VALUES ('default-admin', 1, 44, 'story-20', 43, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675253, 1794803675253, 0, 1794803675253003, '\xd0111abe9c09adb8f736555ebdf0197d', '\x61dee933de0391eefb29529b34cf0267');
INSERT INTO public.page VALUES ('default-admin', 1, 24, 'story-10', 23, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675109, 1794803675109, 0, 1794803675109003, '\x77e9f1e45e0729d198914446ad7fdaaf', '\x63b2e4918cd922f8193a7d0928684a66');
INSERT INTO public.page VALUES ('default-admin', 1, 34, 'story-15', 33, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675178, 1794803675178, 0, 1794803675178003, '\x50fa61f043cc7cbde3f8c1240948ccfb', '\xc55ee6d1f2065b2d18b45b98806f3c2b');
INSERT INTO public.page VALUES ('default-admin', 1, 26, 'story-11', 25, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675118, 1794803675118, 0, 1794803675118003, '\x55465931d312ee82236ae827134c54b6', '\x2f0d31470857291bf0a3f52ba222a39e');
INSERT INTO public.page VALUES ('default-admin', 1, 36, 'story-16', 35, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675195, 1794803675195, 0, 1794803675195003, '\x29a8a63be14246f61fdf13fa994287ec', '\xc8254c17cf8b9f19c3f4512644f5dc63');
INSERT INTO public.page VALUES ('default-admin', 1, 52, 'story-24', 51, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675304, 1794803675304, 0, 1794803675304003, '\x52571aa8c4b922ff98176b799f8bb009', '\x9528f23e13170eafd370541fb2c997c6');
INSERT INTO public.page VALUES ('default-admin', 1, 38, 'story-17', 37, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675221, 1794803675221, 0, 1794803675221003, '\xdad278e30df4b20b5039b7f9d956851a', '\x7be05bb9907ab626d3c473f113a84fc0');
INSERT INTO public.page VALUES ('default-admin', 1, 46, 'story-21', 45, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675262, 1794803675262, 0, 1794803675262003, '\x9b9c1dd3841baf4558c6d8f280295590', '\xbba456fb4f5436fba4edd55166921ab8');
INSERT INTO public.page VALUES ('default-admin', 1, 40, 'story-18', 39, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675231, 1794803675231, 0, 1794803675231003, '\xcd6a988cce8044c844ab0d5cab34dda1', '\x70f52ebc93e8fd22f85f7383a7a6d74d');
INSERT INTO public.page VALUES ('default-admin', 1, 58, 'story-27', 57, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675344, 1794803675344, 0, 1794803675344003, '\x3e99c90f2879e127c4f9b0417410174c', '\xe30fc22e3508d45c1cb90946fbf8885f');
INSERT INTO public.page VALUES ('default-admin', 1, 48, 'story-22', 47, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675283, 1794803675283, 0, 1794803675283003, '\x5964b59be4c9b3ce25b31081a0686986', '\xa6221f9819f558a540e282cd8441037d');
INSERT INTO public.page VALUES ('default-admin', 1, 54, 'story-25', 53, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675320, 1794803675320, 0, 1794803675320003, '\xe6158649ba7d0eded76e48bc36879049', '\x4699e5558b102c25a38ae27fcbb5e0be');
INSERT INTO public.page VALUES ('default-admin', 1, 50, 'story-23', 49, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675294, 1794803675294, 0, 1794803675294003, '\x968d0dd38f479fd61c120952d90d9117', '\xc7216d154940b3c1c12be90861d36624');
INSERT INTO public.page VALUES ('default-admin', 1, 56, 'story-26', 55, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675335, 1794803675335, 0, 1794803675335003, '\x679f3487e0504a83911d911e71402604', '\x156ede779b2c832c8c7bbe91050c05b4');
INSERT INTO public.page VALUES ('default-admin', 1, 62, 'story-29', 61, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675370, 1794803675370, 0, 1794803675370003, '\x285ccd4e818ca3eed7dca85273c699a3', '\xf2529e58810f0f0774192dab06bdca7d');
INSERT INTO public.page VALUES ('default-admin', 1, 60, 'story-28', 59, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675359, 1794803675359, 0, 1794803675359003, '\x702fde48571dc5ba0ac2622dbed1912a', '\xe1e77f8dbf85191b3c0d67668d6190cc');
INSERT INTO public.page VALUES ('default-admin', 1, 66, 'story-31', 65, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675395, 1794803675395, 0, 1794803675395003, '\xd2f76cadc757d700e822fd73b9c66d00', '\x529b3c8e5e69d2373ab4ce911c497d5c');
INSERT INTO public.page VALUES ('default-admin', 1, 68, 'story-32', 67, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675405, 1794803675405, 0, 1794803675405003, '\x42b866d4a9c89de5489f2b7bde718ff5', '\x06fd548cace3c5558b9fb690522b9f47');
INSERT INTO public.page VALUES ('default-admin', 1, 70, 'story-33', 69, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675413, 1794803675413, 0, 1794803675413003, '\xe50f95631f9e93c749eb1cd933d7c3f1', '\xf8c418bed41fa5da8b5e7388357a243f');
INSERT INTO public.page VALUES ('default-admin', 1, 72, 'story-34', 71, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675422, 1794803675422, 0, 1794803675422003, '\xeb15f9c28c9e354ce566418af1a18e33', '\x704cf53b9e535412c5bbf7c1a6798ac6');
INSERT INTO public.page VALUES ('default-admin', 1, 74, 'story-35', 73, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675435, 1794803675435, 0, 1794803675435003, '\x60aff09098055761b4551f5b09333e1a', '\x2967cd5e86f5d3cc6bed66f26da2e303');
INSERT INTO public.page VALUES ('default-admin', 1, 76, 'story-36', 75, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675445, 1794803675445, 0, 1794803675445003, '\x6b69caae449978cf4a3bb2343ff5b587', '\xd7b6288cac2c205001ad113dc631997b');
INSERT INTO public.page VALUES ('default-admin', 1, 78, 'story-37', 77, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675455, 1794803675455, 0, 1794803675455003, '\xcb8736836b67af6836968ef847c2b19e', '\x890813a62fe15a94f2d40a12880f472c');
INSERT INTO public.page VALUES ('default-admin', 1, 80, 'story-38', 79, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675477, 1794803675477, 0, 1794803675477003, '\x84f1704c243dae26c88ae23bb5f531db', '\x04a4701be138f6d24db0a5f2480f2665');
INSERT INTO public.page VALUES ('default-admin', 1, 82, 'story-39', 81, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675487, 1794803675487, 0, 1794803675487003, '\x28688815ffe8e915b5e403881b9fab79', '\xa9d932a2d4bf103404c2055a69fd2ea5');
INSERT INTO public.page VALUES ('default-admin', 1, 86, 'story-user', 85, 0, 0, 0, 1, '\x75736572', NULL, 1794803675526, 1794803675526, 0, 1794803675526003, '\x5aaba0c7a89691ae671f522ecdd02c85', '\xbd8e3bc226859156d9ffd0fc61352c05');
INSERT INTO public.page VALUES ('default-admin', 1, 84, 'story-40', 83, 0, 0, 1, 0, '\x617373697374616e74', NULL, 1794803675502, 1794803675502, 0, 1794803675502003, '\x14c6664e66ddf81e15c846c050cc7df1', '\xe2a34eecd9f154f9aa6c71589968e141');
INSERT INTO public.page VALUES ('default-admin', 1, 87, 'story-40b', 83, 0, 1, 1, 1, '\x617373697374616e74', NULL, 1794803675532, 1794803675532, 0, 1794803675532002, '\x1a952dccdf499c9820c69ec527f0bec2', '\x14d4ac0006d56df70cc433b3ff842d3b');
INSERT INTO public.page VALUES ('default-admin', 3, 3, 'mvu-1', 2, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675547, 1794803675547, 0, 1794803675547003, '\xfe9a1c1a39a4cfc0a7343201e7b34759', '\xb45db0ea07f4815c51ecdebe5b01f9db');
INSERT INTO public.page VALUES ('default-admin', 1, 90, 'fork-1', 89, 0, 0, 1, 1, '\x617373697374616e74', NULL, 1794803675561, 1794803675561, 0, 1794803675561003, '\x2a9224da655ca61c402fd16c9fb8ed47', '\x062a33b4064201b017ce81b2570816d5');
INSERT INTO public.page VALUES ('default-admin', 2, 3, 'plain-page', 2, 0, 0, 1, 1, NULL, NULL, 1794803675643, 1794803675643, 1, NULL, '\x2cf24dba5fb0a30e26e83b2ac5b9e29e', NULL);


--
-- Data for Name: promotion; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: recipe; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.recipe VALUES ('default-admin', 1, '\x2b791052d724bbacbf2f6bfd44514aa0', '\x007b2273656d616e74696373223a312c2270726f66696c65223a7b2262617365223a22737472696374222c226469616c65637473223a5b226174222c226d7675222c226a736f6e5f7061746368225d2c227061697273223a66616c73652c226372656174655f6d697373696e67223a747275652c22747970655f6368616e6765223a2272656675736564222c226d65726765223a2264656570222c22736b69705f7468696e6b696e67223a747275652c226f6e6c795f696e5f74616773223a5b5d2c22757365725f666c6f6f7273223a66616c73652c22756e64657273636f72655f726561645f6f6e6c79223a747275652c22666f726365645f736574223a66616c73652c2274696d655f70617468223a5b22e4b896e7958c2ee697b6e997b4222c2274696d65225d7d2c2274656d706c617465223a223663363161646562633332313262393133623363366334613637656163323866227d');
INSERT INTO public.recipe VALUES ('default-admin', 3, '\xd3b84f9e8f0b4bfa61733a220e60a6bd', '\x007b2273656d616e74696373223a312c2270726f66696c65223a7b2262617365223a226d7675222c226469616c65637473223a5b226d7675222c226a736f6e5f7061746368225d2c227061697273223a747275652c226372656174655f6d697373696e67223a2261735f6d7675222c22747970655f6368616e6765223a2261735f6d7675222c226d65726765223a22646565705f62795f696e646578222c22736b69705f7468696e6b696e67223a66616c73652c226f6e6c795f696e5f74616773223a5b5d2c22757365725f666c6f6f7273223a747275652c22756e64657273636f72655f726561645f6f6e6c79223a66616c73652c22666f726365645f736574223a66616c73652c2274696d655f70617468223a5b5d7d2c2274656d706c617465223a223364613037383235353565386566326661386538643031363466386561306465227d');


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_version VALUES (1);
INSERT INTO public.schema_version VALUES (2);
INSERT INTO public.schema_version VALUES (3);


--
-- Data for Name: session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.session VALUES ('default-admin', 3, 'mvu-chat', NULL, 1794803674985, 1794803675547, 1794803675547003, 3, 0, NULL, '\x6d76752d63686174', 0, NULL, 0, NULL, 2);
INSERT INTO public.session VALUES ('default-admin', 1, 'story', '\xe99baa', 1794803674954, 1794803675561, 1794803675591019, 90, 0, NULL, '\x73746f7279', 1, NULL, 0, NULL, 1);
INSERT INTO public.session VALUES ('default-admin', 2, 'plain', '\x7661726961626c6573', 1794803674981, 1794803675643, 1794803675648000, 3, 2, NULL, '\x706c61696e', 1, NULL, 0, NULL, NULL);


--
-- Data for Name: session_story; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: snapshot; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.snapshot VALUES ('default-admin', 1, 3, 'f81bea44-2637-4c6e-93eb-1b3d14a3066e', 1794803674954003, 1794803674954);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 4, '939cb225-46de-48c4-bf6f-c0325d27facd', 1794803674954005, 1794803674954);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 6, '01c5313c-5bde-45fe-aeb8-6fa4b3b0c934', 1794803674994003, 1794803674994);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 8, '265f14f8-51f8-449e-9753-7700384de454', 1794803675004003, 1794803675004);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 10, 'a216e17a-40cb-4d91-a990-36154139e7fc', 1794803675024003, 1794803675024);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 12, '72477375-91ba-40ea-8ac7-b24428992936', 1794803675035003, 1794803675035);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 14, '288ec441-a240-4d5d-b474-12bda8ecd97c', 1794803675044003, 1794803675044);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 16, '52b38005-3c4c-43f9-b823-54fd03dea2b8', 1794803675058003, 1794803675058);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 18, '52a4866b-629f-45bd-85b6-f3dc0d266894', 1794803675071003, 1794803675071);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 20, 'd6cd06f7-b619-488c-a00f-4389207d9593', 1794803675081003, 1794803675081);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 22, '7dcbee8e-41af-4139-b759-a4442876fb76', 1794803675094003, 1794803675094);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 24, '09cd666f-f9f8-41b9-abf8-6f9ebd9631c7', 1794803675109003, 1794803675109);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 26, '0820da25-970d-4455-84f0-4ccda5b93a28', 1794803675118003, 1794803675118);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 28, '1f3d70fc-0f29-4323-a38b-38ee40c6a434', 1794803675131003, 1794803675131);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 30, 'f822fc17-260f-4189-8cbd-442071db6d25', 1794803675156003, 1794803675156);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 32, '695e0cc6-5c24-40fd-a0d1-46bedf2be5dd', 1794803675165003, 1794803675165);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 34, '206eb9fc-b966-4409-a89c-afdcd642cc21', 1794803675178003, 1794803675178);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 36, 'f01ec9d8-27da-4cc3-9e80-b54c917ab51e', 1794803675195003, 1794803675195);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 38, '8780e1dd-af34-415f-87ff-a26591af9b56', 1794803675221003, 1794803675221);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 40, 'ee29e258-5a2e-44fb-bbfd-40e6ced337c4', 1794803675231003, 1794803675231);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 42, '391e4753-80b3-496d-9e74-b2af1f4f361a', 1794803675241003, 1794803675241);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 84, '3b1d9234-10b7-416e-a1a8-479d1ee0b122', 1794803675502003, 1794803675502);
INSERT INTO public.snapshot VALUES ('default-admin', 3, 3, '23bf5daa-2c68-41dc-86ef-53b34a67b9fa', 1794803675547003, 1794803675547);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 90, 'd3e99877-ad84-4cd2-8d6a-3ff6835cb8d6', 1794803675561003, 1794803675561);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 44, 'd037ee0a-6ab7-42c7-ae15-f9c6994c2688', 1794803675573000, 1794803675253);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 46, 'abfe174f-659a-4a45-8044-3ed56d2ef9cd', 1794803675591000, 1794803675262);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 48, 'c4aec4f4-a3c8-4496-9744-1f34a969e509', 1794803675591001, 1794803675283);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 50, 'c9228d75-e50b-482c-8b9e-9e6b42a4bc8a', 1794803675591002, 1794803675294);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 52, '6413d04a-65ca-4a1f-8322-80a169ad3d9a', 1794803675591003, 1794803675304);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 54, '454db756-5fc4-4380-9448-24b337258892', 1794803675591004, 1794803675320);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 56, '7d1dddd6-9621-4f90-a81e-ee3ec3047c4d', 1794803675591005, 1794803675335);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 58, 'e5aba40f-d3ba-485a-b6a0-4383e9fa0910', 1794803675591006, 1794803675344);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 60, 'e288ef7b-6486-449c-98a7-eb0923edac76', 1794803675591007, 1794803675359);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 62, '3afa157e-728e-42c5-ab74-9eb38a5b51dd', 1794803675591008, 1794803675370);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 64, '54bf7f6e-f249-44ba-91aa-5fb3b0c62347', 1794803675591009, 1794803675382);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 66, 'b42de48a-615f-44b8-ace5-7fd08e0c40dc', 1794803675591010, 1794803675395);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 68, '767a860a-8732-4288-b9aa-ba8bcef454d2', 1794803675591011, 1794803675405);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 70, 'c36c51d8-7af6-411f-8d89-0746c99a507c', 1794803675591012, 1794803675413);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 72, '2ba8c7a3-c98e-4f26-9762-9b2d23b280a5', 1794803675591013, 1794803675422);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 74, 'b5fc3d4c-5b87-4543-bfa5-40dac825418d', 1794803675591014, 1794803675435);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 76, '10ab8d55-85d8-4a50-afc3-d0f22953e7fc', 1794803675591015, 1794803675445);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 78, 'dea866f0-19d9-4c4e-99e5-df1c5705a76e', 1794803675591016, 1794803675455);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 80, 'b806ebd2-3d93-4fd1-979f-034ad6eda3eb', 1794803675591017, 1794803675477);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 82, '386a2442-edd7-42a8-92f2-4e47f5911967', 1794803675591018, 1794803675487);
INSERT INTO public.snapshot VALUES ('default-admin', 1, 87, 'c4439063-352b-4219-986e-4d330fc68266', 1794803675591019, 1794803675532);


--
-- Data for Name: staged_write; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: variable; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.variable VALUES ('default-admin', 0, 0, 0, '\x7468656d65', '01a1e2a2-b1de-7062-a018-7c0675aee0f3', 1794803675614, 1794803675614000, '\x0022e5a49c22');
INSERT INTO public.variable VALUES ('default-admin', 2, 1, 0, '\x6d6f6f64', '01a1e2a2-b1ea-7606-85c5-1123575f7a95', 1794803675626, 1794803675626000, '\x007b2261223a5b312c322e352c393030373139393235343734303939335d7d');
INSERT INTO public.variable VALUES ('default-admin', 2, 2, 1, '\x676f6c64', '01a1e2a2-b1ed-76d3-8a19-2053eac023bb', 1794803675634, 1794803675634000, '\x00363030');
INSERT INTO public.variable VALUES ('default-admin', 2, 1, 0, '\x6f6e6365', '01a1e2a2-b1f5-777c-94ab-086976980082', 1794803675637, 1794803675637000, '\x0031');
INSERT INTO public.variable VALUES ('default-admin', 2, 4, 3, '\x6870', '01a1e2a2-b200-7804-ab11-96ea98a56090', 1794803675648, 1794803675648000, '\x0033');


--
-- Data for Name: variable_total; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.variable_total VALUES ('default-admin', 0, 0, 1);
INSERT INTO public.variable_total VALUES ('default-admin', 2, 2, 1);
INSERT INTO public.variable_total VALUES ('default-admin', 1, 2, 2);
INSERT INTO public.variable_total VALUES ('default-admin', 4, 2, 1);


--
-- Data for Name: version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.version VALUES ('default-admin', 1, 1794803674954003, 3, NULL, NULL, 0, '\x2d4d516c314499572f9fab83795ca5c1', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803674953, NULL, 1, 0, 0, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c34312c34305d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803674954005, 4, NULL, NULL, 0, '\x0ff7e776b4619689cde4d9910b195644', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803674953, NULL, 1, 0, 0, '\x005b5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803674994003, 6, 1794803674954003, 1794803674954003, 0, '\x28ff3ec0a7871bc2504bddc93db5be41', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803674994, NULL, 2, 1, 80, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c34322c34315d2c5b222b222c5b22e7aba0225d2c322c315d2c5b222b222c5b22e8838ce58c85222c315d2c312c22e789a931225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675004003, 8, 1794803674994003, 1794803674994003, 0, '\x008fff394ccebde9e1e0da2091379c18', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675004, NULL, 3, 2, 160, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c34342c34325d2c5b223d222c5b22e7aba0225d2c322c315d2c5b222b222c5b22e8838ce58c85222c325d2c322c22e789a932225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675024003, 10, 1794803675004003, 1794803675004003, 0, '\xf4cce0166c831749da641fb3e2e43404', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675024, NULL, 4, 3, 240, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c34372c34345d2c5b223d222c5b22e7aba0225d2c332c325d2c5b222b222c5b22e8838ce58c85222c335d2c332c22e789a933225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675035003, 12, 1794803675024003, 1794803675024003, 0, '\x0f359949a1eb6f8bb85a2f08797f2d88', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675035, NULL, 5, 4, 320, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c35312c34375d2c5b223d222c5b22e7aba0225d2c342c335d2c5b222b222c5b22e8838ce58c85222c345d2c342c22e789a934225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675044003, 14, 1794803675035003, 1794803675035003, 0, '\x8a697993dca3f674deed20e60cf02202', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675044, NULL, 6, 5, 400, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c35362c35315d2c5b223d222c5b22e7aba0225d2c352c345d2c5b222b222c5b22e8838ce58c85222c355d2c352c22e789a935225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675058003, 16, 1794803675044003, 1794803675044003, 0, '\x985b2cdf4bffa212447e85087d6d6565', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675058, NULL, 7, 6, 480, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c36322c35365d2c5b223d222c5b22e7aba0225d2c362c355d2c5b222b222c5b22e8838ce58c85222c365d2c362c22e789a936225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675071003, 18, 1794803675058003, 1794803675058003, 0, '\x39683d7d95241e427f4445435bfaf9a6', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675071, NULL, 8, 7, 560, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c36392c36325d2c5b223d222c5b22e7aba0225d2c372c365d2c5b222b222c5b22e8838ce58c85222c375d2c372c22e789a937225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675081003, 20, 1794803675071003, 1794803675071003, 0, '\x34c5f6923fe16dc59c35defebff128f1', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675081, NULL, 9, 8, 640, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c37372c36395d2c5b223d222c5b22e7aba0225d2c382c375d2c5b222b222c5b22e8838ce58c85222c385d2c382c22e789a938225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675094003, 22, 1794803675081003, 1794803675081003, 0, '\x6c3b0a2be1387071313a23bd39357310', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675094, NULL, 10, 9, 720, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c38362c37375d2c5b223d222c5b22e7aba0225d2c392c385d2c5b222b222c5b22e8838ce58c85222c395d2c392c22e789a939225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675109003, 24, 1794803675094003, 1794803675094003, 0, '\x77e9f1e45e0729d198914446ad7fdaaf', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675109, NULL, 11, 10, 804, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c39362c38365d2c5b223d222c5b22e7aba0225d2c31302c395d2c5b222b222c5b22e8838ce58c85222c31305d2c31302c22e789a93130225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675118003, 26, 1794803675109003, 1794803675109003, 0, '\x55465931d312ee82236ae827134c54b6', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675118, NULL, 12, 11, 890, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3130372c39365d2c5b223d222c5b22e7aba0225d2c31312c31305d2c5b222b222c5b22e8838ce58c85222c31315d2c31312c22e789a93131225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675131003, 28, 1794803675118003, 1794803675118003, 0, '\x2e6ac5d862de6ec40450477751a3a3d9', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675131, NULL, 13, 12, 977, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3131392c3130375d2c5b223d222c5b22e7aba0225d2c31322c31315d2c5b222b222c5b22e8838ce58c85222c31325d2c31322c22e789a93132225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675156003, 30, 1794803675131003, 1794803675131003, 0, '\xc058639df6ce1e7022f55e6a1ea58979', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675156, NULL, 14, 0, 0, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3133322c3131395d2c5b223d222c5b22e7aba0225d2c31332c31325d2c5b222b222c5b22e8838ce58c85222c31335d2c31332c22e789a93133225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675165003, 32, 1794803675156003, 1794803675156003, 0, '\xeae80943d6169b2d8124dad9d43b651d', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675165, NULL, 15, 1, 87, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3134362c3133325d2c5b223d222c5b22e7aba0225d2c31342c31335d2c5b222b222c5b22e8838ce58c85222c31345d2c31342c22e789a93134225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675178003, 34, 1794803675165003, 1794803675165003, 0, '\x50fa61f043cc7cbde3f8c1240948ccfb', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675178, NULL, 16, 2, 174, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3136312c3134365d2c5b223d222c5b22e7aba0225d2c31352c31345d2c5b222b222c5b22e8838ce58c85222c31355d2c31352c22e789a93135225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675195003, 36, 1794803675178003, 1794803675178003, 0, '\x29a8a63be14246f61fdf13fa994287ec', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675195, NULL, 17, 3, 261, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3137372c3136315d2c5b223d222c5b22e7aba0225d2c31362c31355d2c5b222b222c5b22e8838ce58c85222c31365d2c31362c22e789a93136225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675221003, 38, 1794803675195003, 1794803675195003, 0, '\xdad278e30df4b20b5039b7f9d956851a', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675221, NULL, 18, 4, 348, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3139342c3137375d2c5b223d222c5b22e7aba0225d2c31372c31365d2c5b222b222c5b22e8838ce58c85222c31375d2c31372c22e789a93137225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675231003, 40, 1794803675221003, 1794803675221003, 0, '\xcd6a988cce8044c844ab0d5cab34dda1', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675231, NULL, 19, 5, 435, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3231322c3139345d2c5b223d222c5b22e7aba0225d2c31382c31375d2c5b222b222c5b22e8838ce58c85222c31385d2c31382c22e789a93138225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675241003, 42, 1794803675231003, 1794803675231003, 0, '\xaab818c4649298c014d01d6a136eaf83', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675241, NULL, 20, 6, 522, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3233312c3231325d2c5b223d222c5b22e7aba0225d2c31392c31385d2c5b222b222c5b22e8838ce58c85222c31395d2c31392c22e789a93139225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675253003, 44, 1794803675241003, 1794803675241003, 0, '\xd0111abe9c09adb8f736555ebdf0197d', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675253, NULL, 21, 7, 609, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3235312c3233315d2c5b223d222c5b22e7aba0225d2c32302c31395d2c5b222b222c5b22e8838ce58c85222c32305d2c32302c22e789a93230225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675262003, 46, 1794803675253003, 1794803675253003, 0, '\x9b9c1dd3841baf4558c6d8f280295590', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675262, NULL, 22, 8, 696, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3237322c3235315d2c5b223d222c5b22e7aba0225d2c32312c32305d2c5b222b222c5b22e8838ce58c85222c32315d2c32312c22e789a93231225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675283003, 48, 1794803675262003, 1794803675262003, 0, '\x5964b59be4c9b3ce25b31081a0686986', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675283, NULL, 23, 9, 783, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3239342c3237325d2c5b223d222c5b22e7aba0225d2c32322c32315d2c5b222b222c5b22e8838ce58c85222c32325d2c32322c22e789a93232225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675294003, 50, 1794803675283003, 1794803675283003, 0, '\x968d0dd38f479fd61c120952d90d9117', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675294, NULL, 24, 10, 870, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3331372c3239345d2c5b223d222c5b22e7aba0225d2c32332c32325d2c5b222b222c5b22e8838ce58c85222c32335d2c32332c22e789a93233225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675304003, 52, 1794803675294003, 1794803675294003, 0, '\x52571aa8c4b922ff98176b799f8bb009', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675304, NULL, 25, 11, 957, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3334312c3331375d2c5b223d222c5b22e7aba0225d2c32342c32335d2c5b222b222c5b22e8838ce58c85222c32345d2c32342c22e789a93234225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675320003, 54, 1794803675304003, 1794803675304003, 0, '\xe6158649ba7d0eded76e48bc36879049', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675320, NULL, 26, 0, 0, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3336362c3334315d2c5b223d222c5b22e7aba0225d2c32352c32345d2c5b222b222c5b22e8838ce58c85222c32355d2c32352c22e789a93235225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675335003, 56, 1794803675320003, 1794803675320003, 0, '\x679f3487e0504a83911d911e71402604', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675335, NULL, 27, 1, 87, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3339322c3336365d2c5b223d222c5b22e7aba0225d2c32362c32355d2c5b222b222c5b22e8838ce58c85222c32365d2c32362c22e789a93236225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675344003, 58, 1794803675335003, 1794803675335003, 0, '\x3e99c90f2879e127c4f9b0417410174c', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675344, NULL, 28, 2, 174, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3431392c3339325d2c5b223d222c5b22e7aba0225d2c32372c32365d2c5b222b222c5b22e8838ce58c85222c32375d2c32372c22e789a93237225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675359003, 60, 1794803675344003, 1794803675344003, 0, '\x702fde48571dc5ba0ac2622dbed1912a', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675359, NULL, 29, 3, 261, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3434372c3431395d2c5b223d222c5b22e7aba0225d2c32382c32375d2c5b222b222c5b22e8838ce58c85222c32385d2c32382c22e789a93238225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675370003, 62, 1794803675359003, 1794803675359003, 0, '\x285ccd4e818ca3eed7dca85273c699a3', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675370, NULL, 30, 4, 348, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3437362c3434375d2c5b223d222c5b22e7aba0225d2c32392c32385d2c5b222b222c5b22e8838ce58c85222c32395d2c32392c22e789a93239225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675382003, 64, 1794803675370003, 1794803675370003, 0, '\x36aaafbdec37c70f3c825c7f0da93cc6', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675382, NULL, 31, 5, 435, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3530362c3437365d2c5b223d222c5b22e7aba0225d2c33302c32395d2c5b222b222c5b22e8838ce58c85222c33305d2c33302c22e789a93330225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675395003, 66, 1794803675382003, 1794803675382003, 0, '\xd2f76cadc757d700e822fd73b9c66d00', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675395, NULL, 32, 6, 522, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3533372c3530365d2c5b223d222c5b22e7aba0225d2c33312c33305d2c5b222b222c5b22e8838ce58c85222c33315d2c33312c22e789a93331225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675405003, 68, 1794803675395003, 1794803675395003, 0, '\x42b866d4a9c89de5489f2b7bde718ff5', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675405, NULL, 33, 7, 609, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3536392c3533375d2c5b223d222c5b22e7aba0225d2c33322c33315d2c5b222b222c5b22e8838ce58c85222c33325d2c33322c22e789a93332225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675413003, 70, 1794803675405003, 1794803675405003, 0, '\xe50f95631f9e93c749eb1cd933d7c3f1', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675413, NULL, 34, 8, 696, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3630322c3536395d2c5b223d222c5b22e7aba0225d2c33332c33325d2c5b222b222c5b22e8838ce58c85222c33335d2c33332c22e789a93333225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675422003, 72, 1794803675413003, 1794803675413003, 0, '\xeb15f9c28c9e354ce566418af1a18e33', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675422, NULL, 35, 9, 783, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3633362c3630325d2c5b223d222c5b22e7aba0225d2c33342c33335d2c5b222b222c5b22e8838ce58c85222c33345d2c33342c22e789a93334225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675435003, 74, 1794803675422003, 1794803675422003, 0, '\x60aff09098055761b4551f5b09333e1a', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675435, NULL, 36, 10, 870, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3637312c3633365d2c5b223d222c5b22e7aba0225d2c33352c33345d2c5b222b222c5b22e8838ce58c85222c33355d2c33352c22e789a93335225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675445003, 76, 1794803675435003, 1794803675435003, 0, '\x6b69caae449978cf4a3bb2343ff5b587', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675445, NULL, 37, 11, 957, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3730372c3637315d2c5b223d222c5b22e7aba0225d2c33362c33355d2c5b222b222c5b22e8838ce58c85222c33365d2c33362c22e789a93336225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675455003, 78, 1794803675445003, 1794803675445003, 0, '\xcb8736836b67af6836968ef847c2b19e', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675455, NULL, 38, 0, 0, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3734342c3730375d2c5b223d222c5b22e7aba0225d2c33372c33365d2c5b222b222c5b22e8838ce58c85222c33375d2c33372c22e789a93337225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675477003, 80, 1794803675455003, 1794803675455003, 0, '\x84f1704c243dae26c88ae23bb5f531db', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675477, NULL, 39, 1, 87, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3738322c3734345d2c5b223d222c5b22e7aba0225d2c33382c33375d2c5b222b222c5b22e8838ce58c85222c33385d2c33382c22e789a93338225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675487003, 82, 1794803675477003, 1794803675477003, 0, '\x28688815ffe8e915b5e403881b9fab79', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675487, NULL, 40, 2, 174, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3832312c3738325d2c5b223d222c5b22e7aba0225d2c33392c33385d2c5b222b222c5b22e8838ce58c85222c33395d2c33392c22e789a93339225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675502003, 84, 1794803675487003, 1794803675487003, 0, '\x14c6664e66ddf81e15c846c050cc7df1', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675502, NULL, 41, 3, 261, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3836312c3832315d2c5b223d222c5b22e7aba0225d2c34302c33395d2c5b222b222c5b22e8838ce58c85222c34305d2c34302c22e789a93430225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675532002, 87, 1794803675487003, 1794803675487003, 0, '\x1a952dccdf499c9820c69ec527f0bec2', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675532, NULL, 41, 3, 197, '\x005b5b223d222c5b22e7aba0225d2c3430302c33395d5d');
INSERT INTO public.version VALUES ('default-admin', 3, 1794803675547003, 3, NULL, NULL, 0, '\xfe9a1c1a39a4cfc0a7343201e7b34759', '\xd3b84f9e8f0b4bfa61733a220e60a6bd', 1794803675547, NULL, 1, 0, 0, '\x005b5b223d222c5b226870222c305d2c372c31305d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675561003, 90, 1794803675109003, 1794803675109003, 0, '\x2a9224da655ca61c402fd16c9fb8ed47', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675561, NULL, 12, 11, 826, '\x005b5b223d222c5b22e7aba0225d2c2d312c31305d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675573000, 44, 1794803675253003, 1794803675241003, 1, '\xd0111abe9c09adb8f736555ebdf0197d', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675253, 1794803675573, 21, 8, 635, '\x005b5b222b222c5b22e6898be694b9225d2c332c747275655d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591000, 46, 1794803675573000, 1794803675573000, 0, '\x9b9c1dd3841baf4558c6d8f280295590', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675262, NULL, 22, 9, 722, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3237322c3235315d2c5b223d222c5b22e7aba0225d2c32312c32305d2c5b222b222c5b22e8838ce58c85222c32315d2c32312c22e789a93231225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591001, 48, 1794803675591000, 1794803675591000, 0, '\x5964b59be4c9b3ce25b31081a0686986', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675283, NULL, 23, 10, 809, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3239342c3237325d2c5b223d222c5b22e7aba0225d2c32322c32315d2c5b222b222c5b22e8838ce58c85222c32325d2c32322c22e789a93232225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591002, 50, 1794803675591001, 1794803675591001, 0, '\x968d0dd38f479fd61c120952d90d9117', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675294, NULL, 24, 11, 896, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3331372c3239345d2c5b223d222c5b22e7aba0225d2c32332c32325d2c5b222b222c5b22e8838ce58c85222c32335d2c32332c22e789a93233225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591003, 52, 1794803675591002, 1794803675591002, 0, '\x52571aa8c4b922ff98176b799f8bb009', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675304, NULL, 25, 12, 983, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3334312c3331375d2c5b223d222c5b22e7aba0225d2c32342c32335d2c5b222b222c5b22e8838ce58c85222c32345d2c32342c22e789a93234225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591004, 54, 1794803675591003, 1794803675591003, 0, '\xe6158649ba7d0eded76e48bc36879049', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675320, NULL, 26, 0, 0, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3336362c3334315d2c5b223d222c5b22e7aba0225d2c32352c32345d2c5b222b222c5b22e8838ce58c85222c32355d2c32352c22e789a93235225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591005, 56, 1794803675591004, 1794803675591004, 0, '\x679f3487e0504a83911d911e71402604', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675335, NULL, 27, 1, 87, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3339322c3336365d2c5b223d222c5b22e7aba0225d2c32362c32355d2c5b222b222c5b22e8838ce58c85222c32365d2c32362c22e789a93236225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591006, 58, 1794803675591005, 1794803675591005, 0, '\x3e99c90f2879e127c4f9b0417410174c', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675344, NULL, 28, 2, 174, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3431392c3339325d2c5b223d222c5b22e7aba0225d2c32372c32365d2c5b222b222c5b22e8838ce58c85222c32375d2c32372c22e789a93237225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591007, 60, 1794803675591006, 1794803675591006, 0, '\x702fde48571dc5ba0ac2622dbed1912a', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675359, NULL, 29, 3, 261, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3434372c3431395d2c5b223d222c5b22e7aba0225d2c32382c32375d2c5b222b222c5b22e8838ce58c85222c32385d2c32382c22e789a93238225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591008, 62, 1794803675591007, 1794803675591007, 0, '\x285ccd4e818ca3eed7dca85273c699a3', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675370, NULL, 30, 4, 348, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3437362c3434375d2c5b223d222c5b22e7aba0225d2c32392c32385d2c5b222b222c5b22e8838ce58c85222c32395d2c32392c22e789a93239225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591009, 64, 1794803675591008, 1794803675591008, 0, '\x36aaafbdec37c70f3c825c7f0da93cc6', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675382, NULL, 31, 5, 435, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3530362c3437365d2c5b223d222c5b22e7aba0225d2c33302c32395d2c5b222b222c5b22e8838ce58c85222c33305d2c33302c22e789a93330225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591010, 66, 1794803675591009, 1794803675591009, 0, '\xd2f76cadc757d700e822fd73b9c66d00', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675395, NULL, 32, 6, 522, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3533372c3530365d2c5b223d222c5b22e7aba0225d2c33312c33305d2c5b222b222c5b22e8838ce58c85222c33315d2c33312c22e789a93331225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591011, 68, 1794803675591010, 1794803675591010, 0, '\x42b866d4a9c89de5489f2b7bde718ff5', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675405, NULL, 33, 7, 609, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3536392c3533375d2c5b223d222c5b22e7aba0225d2c33322c33315d2c5b222b222c5b22e8838ce58c85222c33325d2c33322c22e789a93332225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591012, 70, 1794803675591011, 1794803675591011, 0, '\xe50f95631f9e93c749eb1cd933d7c3f1', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675413, NULL, 34, 8, 696, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3630322c3536395d2c5b223d222c5b22e7aba0225d2c33332c33325d2c5b222b222c5b22e8838ce58c85222c33335d2c33332c22e789a93333225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591013, 72, 1794803675591012, 1794803675591012, 0, '\xeb15f9c28c9e354ce566418af1a18e33', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675422, NULL, 35, 9, 783, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3633362c3630325d2c5b223d222c5b22e7aba0225d2c33342c33335d2c5b222b222c5b22e8838ce58c85222c33345d2c33342c22e789a93334225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591014, 74, 1794803675591013, 1794803675591013, 0, '\x60aff09098055761b4551f5b09333e1a', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675435, NULL, 36, 10, 870, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3637312c3633365d2c5b223d222c5b22e7aba0225d2c33352c33345d2c5b222b222c5b22e8838ce58c85222c33355d2c33352c22e789a93335225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591015, 76, 1794803675591014, 1794803675591014, 0, '\x6b69caae449978cf4a3bb2343ff5b587', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675445, NULL, 37, 11, 957, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3730372c3637315d2c5b223d222c5b22e7aba0225d2c33362c33355d2c5b222b222c5b22e8838ce58c85222c33365d2c33362c22e789a93336225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591016, 78, 1794803675591015, 1794803675591015, 0, '\xcb8736836b67af6836968ef847c2b19e', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675455, NULL, 38, 0, 0, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3734342c3730375d2c5b223d222c5b22e7aba0225d2c33372c33365d2c5b222b222c5b22e8838ce58c85222c33375d2c33372c22e789a93337225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591017, 80, 1794803675591016, 1794803675591016, 0, '\x84f1704c243dae26c88ae23bb5f531db', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675477, NULL, 39, 1, 87, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3738322c3734345d2c5b223d222c5b22e7aba0225d2c33382c33375d2c5b222b222c5b22e8838ce58c85222c33385d2c33382c22e789a93338225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591018, 82, 1794803675591017, 1794803675591017, 0, '\x28688815ffe8e915b5e403881b9fab79', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675487, NULL, 40, 2, 174, '\x005b5b223d222c5b22e5b08fe99baa222c22e5a5bde6849f225d2c3832312c3738325d2c5b223d222c5b22e7aba0225d2c33392c33385d2c5b222b222c5b22e8838ce58c85222c33395d2c33392c22e789a93339225d5d');
INSERT INTO public.version VALUES ('default-admin', 1, 1794803675591019, 87, 1794803675591018, 1794803675591018, 0, '\x1a952dccdf499c9820c69ec527f0bec2', '\x2b791052d724bbacbf2f6bfd44514aa0', 1794803675532, NULL, 41, 3, 197, '\x005b5b223d222c5b22e7aba0225d2c3430302c33395d5d');


--
-- Name: account account_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_id);


--
-- Name: api_key api_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (key_hash);


--
-- Name: branch branch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.branch
    ADD CONSTRAINT branch_pkey PRIMARY KEY (account_id, session_row, branch_row);


--
-- Name: character character_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public."character"
    ADD CONSTRAINT character_pkey PRIMARY KEY (account_id, character_row);


--
-- Name: character_story character_story_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.character_story
    ADD CONSTRAINT character_story_pkey PRIMARY KEY (account_id, character_row);


--
-- Name: event event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (account_id, "position", ordinal);


--
-- Name: floor_key floor_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.floor_key
    ADD CONSTRAINT floor_key_pkey PRIMARY KEY (account_id, session_row, branch_row, key, floor_no);


--
-- Name: floor floor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.floor
    ADD CONSTRAINT floor_pkey PRIMARY KEY (account_id, session_row, floor_row);


--
-- Name: global_snapshot_body global_snapshot_body_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.global_snapshot_body
    ADD CONSTRAINT global_snapshot_body_pkey PRIMARY KEY (account_id, id);


--
-- Name: global_snapshot global_snapshot_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.global_snapshot
    ADD CONSTRAINT global_snapshot_pkey PRIMARY KEY (account_id, id);


--
-- Name: global_snapshot_tag global_snapshot_tag_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.global_snapshot_tag
    ADD CONSTRAINT global_snapshot_tag_pkey PRIMARY KEY (account_id, tag, id);


--
-- Name: history history_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (account_id, session_row, scope, host_row, key, seq);


--
-- Name: job job_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (account_id, id);


--
-- Name: kept_answer kept_answer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.kept_answer
    ADD CONSTRAINT kept_answer_pkey PRIMARY KEY (account_id, key);


--
-- Name: keyframe keyframe_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keyframe
    ADD CONSTRAINT keyframe_pkey PRIMARY KEY (account_id, session_row, version_row);


--
-- Name: body large_body_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.body
    ADD CONSTRAINT large_body_pkey PRIMARY KEY (account_id, session_row, scope, host_row);


--
-- Name: page page_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page
    ADD CONSTRAINT page_pkey PRIMARY KEY (account_id, session_row, page_row);


--
-- Name: promotion promotion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.promotion
    ADD CONSTRAINT promotion_pkey PRIMARY KEY (account_id, session_row, page_row, seq, id);


--
-- Name: recipe recipe_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recipe
    ADD CONSTRAINT recipe_pkey PRIMARY KEY (account_id, session_row, recipe_hash);


--
-- Name: schema_version schema_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (version);


--
-- Name: session session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (account_id, session_row);


--
-- Name: session_story session_story_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_story
    ADD CONSTRAINT session_story_pkey PRIMARY KEY (account_id, session_row);


--
-- Name: snapshot snapshot_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_pkey PRIMARY KEY (account_id, session_row, page_row);


--
-- Name: staged_write staged_write_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staged_write
    ADD CONSTRAINT staged_write_pkey PRIMARY KEY (account_id, session_row, page_row, key);


--
-- Name: variable variable_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.variable
    ADD CONSTRAINT variable_pkey PRIMARY KEY (account_id, session_row, scope, host_row, key);


--
-- Name: variable_total variable_total_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.variable_total
    ADD CONSTRAINT variable_total_pkey PRIMARY KEY (account_id, scope, shard);


--
-- Name: version version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (account_id, session_row, version_row);


--
-- Name: api_key_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX api_key_by_id ON public.api_key USING btree (account_id, id);


--
-- Name: branch_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX branch_by_id ON public.branch USING btree (account_id, session_row, id);


--
-- Name: branch_by_source; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX branch_by_source ON public.branch USING btree (account_id, session_row, source_floor_row);


--
-- Name: branch_by_source_branch; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX branch_by_source_branch ON public.branch USING btree (account_id, session_row, source_branch_row, source_branch_floor_no);


--
-- Name: character_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX character_by_change ON public."character" USING btree (account_id, updated_at, character_row);


--
-- Name: character_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX character_by_id ON public."character" USING btree (account_id, id);


--
-- Name: character_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX character_by_name ON public."character" USING btree (account_id, name, character_row);


--
-- Name: character_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX character_deleted ON public."character" USING btree (account_id, character_row) WHERE (deleted_at IS NOT NULL);


--
-- Name: event_of_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX event_of_session ON public.event USING btree (account_id, session_row, "position", ordinal);


--
-- Name: floor_broken; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX floor_broken ON public.floor USING btree (account_id, session_row, branch_row, floor_no) WHERE (broken = 1);


--
-- Name: floor_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX floor_by_id ON public.floor USING btree (account_id, id);


--
-- Name: floor_by_lease; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX floor_by_lease ON public.floor USING btree (account_id, lease_until) WHERE (state = 1);


--
-- Name: floor_by_position; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX floor_by_position ON public.floor USING btree (account_id, session_row, branch_row, floor_no);


--
-- Name: floor_key_of_floor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX floor_key_of_floor ON public.floor_key USING btree (account_id, session_row, floor_row);


--
-- Name: floor_with_state; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX floor_with_state ON public.floor USING btree (account_id, session_row, branch_row, has_state, floor_no) WHERE (has_state = 1);


--
-- Name: global_snapshot_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX global_snapshot_by_time ON public.global_snapshot USING btree (account_id, revision);


--
-- Name: global_snapshot_tag_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX global_snapshot_tag_by_id ON public.global_snapshot_tag USING btree (account_id, id);


--
-- Name: history_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX history_deleted ON public.history USING btree (account_id, session_row, scope, host_row, value, key, seq) WHERE (value IS NULL);


--
-- Name: job_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_by_time ON public.job USING btree (account_id, created_at, id);


--
-- Name: job_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_open ON public.job USING btree (account_id, lease_until) WHERE (state < 2);


--
-- Name: kept_answer_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX kept_answer_by_time ON public.kept_answer USING btree (account_id, created_at);


--
-- Name: page_active; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX page_active ON public.page USING btree (account_id, session_row, floor_row, page_no) WHERE (is_active = 1);


--
-- Name: page_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX page_by_id ON public.page USING btree (account_id, id);


--
-- Name: page_by_position; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX page_by_position ON public.page USING btree (account_id, session_row, floor_row, page_no, version);


--
-- Name: session_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_by_change ON public.session USING btree (account_id, updated_at, session_row);


--
-- Name: session_by_chat_file; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX session_by_chat_file ON public.session USING btree (account_id, chat_file);


--
-- Name: session_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX session_by_id ON public.session USING btree (account_id, id);


--
-- Name: session_hidden; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_hidden ON public.session USING btree (account_id, deleted_at, session_row) WHERE (deleted_at IS NOT NULL);


--
-- Name: session_of_character; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX session_of_character ON public.session USING btree (account_id, character_row) WHERE (character_row IS NOT NULL);


--
-- Name: snapshot_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX snapshot_by_id ON public.snapshot USING btree (account_id, id);


--
-- Name: variable_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX variable_by_change ON public.variable USING btree (account_id, scope, updated_at, session_row, host_row, key);


--
-- Name: variable_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX variable_by_id ON public.variable USING btree (account_id, id);


--
-- Name: variable_by_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX variable_by_key ON public.variable USING btree (account_id, scope, key, session_row, host_row);


--
-- Name: variable_of_host_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX variable_of_host_by_change ON public.variable USING btree (account_id, session_row, scope, host_row, updated_at, key);


--
-- Name: branch branch_account_id_session_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.branch
    ADD CONSTRAINT branch_account_id_session_row_fkey FOREIGN KEY (account_id, session_row) REFERENCES public.session(account_id, session_row) ON DELETE CASCADE;


--
-- Name: character character_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public."character"
    ADD CONSTRAINT character_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);


--
-- Name: character_story character_story_account_id_character_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.character_story
    ADD CONSTRAINT character_story_account_id_character_row_fkey FOREIGN KEY (account_id, character_row) REFERENCES public."character"(account_id, character_row) ON DELETE CASCADE;


--
-- Name: floor floor_account_id_session_row_branch_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.floor
    ADD CONSTRAINT floor_account_id_session_row_branch_row_fkey FOREIGN KEY (account_id, session_row, branch_row) REFERENCES public.branch(account_id, session_row, branch_row) ON DELETE CASCADE;


--
-- Name: global_snapshot_body global_snapshot_body_account_id_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.global_snapshot_body
    ADD CONSTRAINT global_snapshot_body_account_id_id_fkey FOREIGN KEY (account_id, id) REFERENCES public.global_snapshot(account_id, id) ON DELETE CASCADE;


--
-- Name: global_snapshot_tag global_snapshot_tag_account_id_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.global_snapshot_tag
    ADD CONSTRAINT global_snapshot_tag_account_id_id_fkey FOREIGN KEY (account_id, id) REFERENCES public.global_snapshot(account_id, id) ON DELETE CASCADE;


--
-- Name: keyframe keyframe_account_id_session_row_version_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keyframe
    ADD CONSTRAINT keyframe_account_id_session_row_version_row_fkey FOREIGN KEY (account_id, session_row, version_row) REFERENCES public.version(account_id, session_row, version_row) ON DELETE CASCADE;


--
-- Name: page page_account_id_session_row_floor_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.page
    ADD CONSTRAINT page_account_id_session_row_floor_row_fkey FOREIGN KEY (account_id, session_row, floor_row) REFERENCES public.floor(account_id, session_row, floor_row) ON DELETE CASCADE;


--
-- Name: promotion promotion_account_id_session_row_page_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.promotion
    ADD CONSTRAINT promotion_account_id_session_row_page_row_fkey FOREIGN KEY (account_id, session_row, page_row) REFERENCES public.page(account_id, session_row, page_row) ON DELETE CASCADE;


--
-- Name: recipe recipe_account_id_session_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recipe
    ADD CONSTRAINT recipe_account_id_session_row_fkey FOREIGN KEY (account_id, session_row) REFERENCES public.session(account_id, session_row) ON DELETE CASCADE;


--
-- Name: session session_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);


--
-- Name: session_story session_story_account_id_session_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.session_story
    ADD CONSTRAINT session_story_account_id_session_row_fkey FOREIGN KEY (account_id, session_row) REFERENCES public.session(account_id, session_row) ON DELETE CASCADE;


--
-- Name: snapshot snapshot_account_id_session_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_account_id_session_row_fkey FOREIGN KEY (account_id, session_row) REFERENCES public.session(account_id, session_row) ON DELETE CASCADE;


--
-- Name: staged_write staged_write_account_id_session_row_page_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.staged_write
    ADD CONSTRAINT staged_write_account_id_session_row_page_row_fkey FOREIGN KEY (account_id, session_row, page_row) REFERENCES public.page(account_id, session_row, page_row) ON DELETE CASCADE;


--
-- Name: version version_account_id_session_row_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.version
    ADD CONSTRAINT version_account_id_session_row_fkey FOREIGN KEY (account_id, session_row) REFERENCES public.session(account_id, session_row) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


