/**
 * The tables of a sandbox's database. Columns have the contract's own names, so a row is a record. A CHECK of three values or
 * more has OR, because SQLite builds a table for each row that it checks with IN (8 % of a POST's time in SQLite).
 */
import { createHash } from 'node:crypto'

export const SCHEMA = `
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
CREATE INDEX payment_methods_by_status ON payment_methods (status);

CREATE TABLE checkouts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  orderId TEXT NOT NULL,
  externalId TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'approved' OR status = 'confirmed' OR status = 'canceled'),
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
CREATE INDEX checkouts_by_status ON checkouts (status);
CREATE INDEX checkouts_by_customer ON checkouts (customerId) WHERE customerId IS NOT NULL;

CREATE TABLE authorizations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  customerId TEXT NOT NULL REFERENCES customers (id),
  externalId TEXT NOT NULL,
  orderId TEXT,
  amount INTEGER NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'authorized' OR status = 'captured' OR status = 'voided'),
  paymentMethodId TEXT NOT NULL REFERENCES payment_methods (id),
  paymentMethodType TEXT NOT NULL,
  amountCaptured INTEGER NOT NULL CHECK (amountCaptured BETWEEN 0 AND amount),
  amountRefunded INTEGER NOT NULL CHECK (amountRefunded BETWEEN 0 AND amountCaptured),
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  capturedAt INTEGER,
  voidedAt INTEGER
) STRICT;
CREATE INDEX authorizations_by_status ON authorizations (status);
CREATE INDEX authorizations_by_customer ON authorizations (customerId);
CREATE INDEX authorizations_by_order_id ON authorizations (orderId) WHERE orderId IS NOT NULL;

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
CREATE INDEX refunds_by_status ON refunds (status);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  resourceId TEXT NOT NULL,
  -- the order of the event: events of one order are delivered one after the other
  belongsTo TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_type ON events (type);
CREATE INDEX events_by_resource ON events (resourceId);

-- §4: the first response to each Idempotency-Key, with its request
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

-- pending work, run oldest first
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
  kind TEXT NOT NULL CHECK (kind = 'charge' OR kind = 'capture' OR kind = 'refund'),
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
  "to" TEXT NOT NULL,
  template TEXT NOT NULL,
  subject TEXT,
  body TEXT NOT NULL,
  relatedId TEXT NOT NULL,
  -- of a log-in
  code TEXT,
  createdAt INTEGER NOT NULL
) STRICT;

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  eventId TEXT NOT NULL REFERENCES events (id),
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'delivered' OR status = 'failed'),
  attempts INTEGER NOT NULL,
  -- 1 if a tester asked for it
  byHand INTEGER NOT NULL,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_by_event ON deliveries (eventId);
CREATE INDEX deliveries_by_status ON deliveries (status);
CREATE INDEX deliveries_failing ON deliveries (status) WHERE status = 'pending' AND attempts > 0;

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

-- of the sandbox itself: its options, clock, random numbers, webhook endpoint
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- a buyer's entries on the hosted page; of each card or account number only the last four digits
CREATE TABLE applications (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  checkoutId TEXT NOT NULL UNIQUE REFERENCES checkouts (id),
  status TEXT NOT NULL,
  contact TEXT,
  wrongCodes INTEGER NOT NULL,
  lockedUntil INTEGER,
  -- the latest code, because production draws a new one for every log-in
  sentCode TEXT,
  method TEXT CHECK (method IN ('card', 'bank_account')),
  applicant TEXT,
  decision TEXT,
  card TEXT,
  bankAccount TEXT,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  acceptedAt INTEGER
) STRICT;

-- of the behaviors: which are armed, their counts, pending actions
CREATE TABLE behavior_state (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (kind, name)
) STRICT;
`

/** In the header of each file (`user_version`): a file with another value is not opened. */
export const LAYOUT = createHash('sha256').update(SCHEMA).digest().readInt32BE()
