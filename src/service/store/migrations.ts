/**
 * The database's history, oldest first, applied by `user_version`. A line that has been released is never edited;
 * a change is a new line. Columns carry the contract's own names, so a row is a record. A CHECK of three texts or more has OR and not
 * IN: the line with writable_schema says why.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE customers (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    externalId TEXT NOT NULL UNIQUE,
    name TEXT,
    email TEXT,
    phone TEXT,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE payment_methods (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    customerId TEXT NOT NULL REFERENCES customers (id),
    type TEXT NOT NULL CHECK (type IN ('card', 'bank_account')),
    status TEXT NOT NULL CHECK (status IN ('attached', 'detached')),
    card TEXT CHECK ((card IS NOT NULL) = (type = 'card')),
    bankAccount TEXT CHECK ((bankAccount IS NOT NULL) = (type = 'bank_account')),
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    detachedAt INTEGER
  ) STRICT;
  CREATE INDEX payment_methods_by_customer ON payment_methods (customerId);

  CREATE TABLE checkouts (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    orderId TEXT NOT NULL,
    externalId TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    currency TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'confirmed', 'canceled')),
    successUrl TEXT NOT NULL,
    cancelUrl TEXT NOT NULL,
    customerId TEXT REFERENCES customers (id),
    paymentMethodId TEXT REFERENCES payment_methods (id),
    paymentMethodType TEXT,
    amountRefunded INTEGER NOT NULL CHECK (amountRefunded BETWEEN 0 AND amount),
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    approvedAt INTEGER,
    confirmedAt INTEGER,
    canceledAt INTEGER,
    CHECK (amountRefunded = 0 OR status = 'confirmed')
  ) STRICT;
  CREATE INDEX checkouts_by_external_id ON checkouts (externalId);
  CREATE INDEX checkouts_by_order_id ON checkouts (orderId);

  CREATE TABLE authorizations (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    customerId TEXT NOT NULL REFERENCES customers (id),
    externalId TEXT NOT NULL,
    orderId TEXT,
    amount INTEGER NOT NULL CHECK (amount > 0),
    currency TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('authorized', 'captured', 'voided')),
    paymentMethodId TEXT NOT NULL REFERENCES payment_methods (id),
    paymentMethodType TEXT NOT NULL,
    amountCaptured INTEGER NOT NULL CHECK (amountCaptured BETWEEN 0 AND amount),
    amountRefunded INTEGER NOT NULL CHECK (amountRefunded BETWEEN 0 AND amountCaptured),
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    capturedAt INTEGER,
    voidedAt INTEGER
  ) STRICT;

  CREATE TABLE refunds (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    checkoutId TEXT REFERENCES checkouts (id),
    authorizationId TEXT REFERENCES authorizations (id),
    amount INTEGER NOT NULL CHECK (amount > 0),
    currency TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'completed')),
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    completedAt INTEGER,
    CHECK ((checkoutId IS NULL) <> (authorizationId IS NULL))
  ) STRICT;
  CREATE INDEX refunds_by_checkout ON refunds (checkoutId);
  CREATE INDEX refunds_by_authorization ON refunds (authorizationId);

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    resourceId TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  -- §4: the answer each Idempotency-Key got, and the request that got it
  CREATE TABLE answers (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    operation TEXT NOT NULL,
    request TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    location TEXT,
    createdAt INTEGER NOT NULL,
    UNIQUE (key, operation)
  ) STRICT;

  -- later work, run oldest first
  CREATE TABLE agenda (
    seq INTEGER PRIMARY KEY,
    dueAt INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL
  ) STRICT;
  CREATE INDEX agenda_deliveries ON agenda (dueAt, seq) WHERE kind = 'webhook.deliver';
  CREATE INDEX agenda_others ON agenda (dueAt, seq) WHERE kind <> 'webhook.deliver';
  CREATE INDEX agenda_by_subject ON agenda (subject);

  -- the money that would have moved
  CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('charge', 'capture', 'refund')),
    amount INTEGER NOT NULL CHECK (amount > 0),
    currency TEXT NOT NULL,
    checkoutId TEXT REFERENCES checkouts (id),
    authorizationId TEXT REFERENCES authorizations (id),
    refundId TEXT UNIQUE REFERENCES refunds (id),
    createdAt INTEGER NOT NULL
  ) STRICT;

  -- the messages that would have been sent
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    recipient TEXT NOT NULL,
    template TEXT NOT NULL,
    subject TEXT,
    body TEXT NOT NULL,
    relatedId TEXT NOT NULL,
    createdAt INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    eventId TEXT NOT NULL REFERENCES events (id),
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts INTEGER NOT NULL,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_by_event ON deliveries (eventId);

  CREATE TABLE attempts (
    seq INTEGER PRIMARY KEY,
    deliveryId TEXT NOT NULL REFERENCES deliveries (id),
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    url TEXT NOT NULL,
    status INTEGER,
    durationMs INTEGER NOT NULL,
    signature TEXT NOT NULL,
    response TEXT,
    error TEXT
  ) STRICT;
  CREATE INDEX attempts_by_delivery ON attempts (deliveryId);

  -- what a sandbox knows about itself: its clock, its generator, its webhook endpoint
  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- what a buyer has told the hosted page so far; of every number only the last four digits
  CREATE TABLE applications (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    checkoutId TEXT NOT NULL UNIQUE REFERENCES checkouts (id),
    status TEXT NOT NULL,
    contact TEXT,
    wrongCodes INTEGER NOT NULL,
    lockedUntil INTEGER,
    method TEXT CHECK (method IN ('card', 'bank_account')),
    applicant TEXT,
    decision TEXT,
    card TEXT,
    bankAccount TEXT,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    acceptedAt INTEGER
  ) STRICT;
  `,
  `
  -- a message names its receiver as the tester's API does
  ALTER TABLE outbox RENAME COLUMN recipient TO "to";
  `,
  `
  -- what the behaviors of a sandbox remember: the armed ones, their counts, what waits for them
  CREATE TABLE behavior_state (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (kind, name)
  ) STRICT;
  `,
  `
  -- the code that was sent last, as production draws a new one for every log-in
  ALTER TABLE applications ADD COLUMN sentCode TEXT;
  `,
  `
  -- what lists are narrowed by and pages count: without these, a page of a large sandbox holds up all others
  CREATE INDEX checkouts_by_status ON checkouts (status);
  CREATE INDEX checkouts_by_customer ON checkouts (customerId) WHERE customerId IS NOT NULL;
  CREATE INDEX authorizations_by_status ON authorizations (status);
  CREATE INDEX authorizations_by_customer ON authorizations (customerId);
  CREATE INDEX authorizations_by_order_id ON authorizations (orderId) WHERE orderId IS NOT NULL;
  CREATE INDEX refunds_by_status ON refunds (status);
  CREATE INDEX events_by_type ON events (type);
  CREATE INDEX events_by_resource ON events (resourceId);
  CREATE INDEX deliveries_by_status ON deliveries (status);
  CREATE INDEX ledger_by_kind ON ledger (kind, amount);
  `,
  `
  -- what the overview counts; sums are read in the order of the movements, without an index
  CREATE INDEX payment_methods_by_status ON payment_methods (status);
  DROP INDEX ledger_by_kind;
  `,
  `
  -- the code of a log-in by itself, which a tester had to find in the text
  ALTER TABLE outbox ADD COLUMN code TEXT;
  UPDATE outbox SET code = substr(body, 1, 6) WHERE template = 'login_code';
  `,
  `
  -- the order that an event belongs to: those of one are delivered one after the other
  ALTER TABLE events ADD COLUMN belongsTo TEXT NOT NULL DEFAULT '';
  UPDATE events SET belongsTo = coalesce(
    (SELECT coalesce(checkoutId, authorizationId) FROM refunds WHERE refunds.id = resourceId), resourceId);
  `,
  `
  -- whether a tester asked for a delivery, which is no copy; and what is failing, which every page counts
  ALTER TABLE deliveries ADD COLUMN byHand INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX deliveries_failing ON deliveries (status) WHERE status = 'pending' AND attempts > 0;
  `,
  `
  -- for IN with three texts or more SQLite makes a table of them for each row that it writes: 8 % of a POST's time in SQLite
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql,
    'status IN (''pending'', ''approved'', ''confirmed'', ''canceled'')',
    'status = ''pending'' OR status = ''approved'' OR status = ''confirmed'' OR status = ''canceled''') WHERE name = 'checkouts';
  UPDATE sqlite_schema SET sql = replace(sql,
    'status IN (''authorized'', ''captured'', ''voided'')',
    'status = ''authorized'' OR status = ''captured'' OR status = ''voided''') WHERE name = 'authorizations';
  UPDATE sqlite_schema SET sql = replace(sql,
    'kind IN (''charge'', ''capture'', ''refund'')',
    'kind = ''charge'' OR kind = ''capture'' OR kind = ''refund''') WHERE name = 'ledger';
  UPDATE sqlite_schema SET sql = replace(sql,
    'status IN (''pending'', ''delivered'', ''failed'')',
    'status = ''pending'' OR status = ''delivered'' OR status = ''failed''') WHERE name = 'deliveries';
  PRAGMA writable_schema = RESET;
  `,
]
