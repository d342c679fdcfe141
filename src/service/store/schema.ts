/**
 * The tables of a sandbox's database. Columns have the contract's own names, so a row is a record. A CHECK of three values or
 * more has OR, because SQLite builds a table for each row that it checks with IN (8 % of a POST's time in SQLite).
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ResourceField } from '../../spec/contract/resources/field.ts'
import { DEFINITIONS, type Definitions, type ResourceName } from '../../spec/contract/resources/index.ts'
import { LEDGER_KIND_NAMES } from '../../spec/contract/resources/ledger.ts'
import { MOVING_KINDS } from '../../spec/contract/resources/movements.ts'
import { PAYMENT } from './ledger.ts'

/** A resource's table and its indexes, one for each filter, without empty fields. */
function tableOf({ table, Stored, fields, states, parent }: Definitions[ResourceName]): string {
  const options: Readonly<Record<string, ResourceField | undefined>> = fields
  const shape: Readonly<Record<string, z.ZodType>> = Stored.shape
  const isNullable = (name: string) => shape[name] instanceof z.ZodNullable
  const columns = Object.keys(shape).map((name) => {
    if (name === 'id') return 'id TEXT NOT NULL UNIQUE'
    const field = options[name]
    const words = name === 'status' ? states : wordsOf(field?.shown)
    const checks = [field?.options.check, words?.map((word) => `${name} = '${word}'`).join(' OR ')]
    return [
      `${name} ${field?.column ?? 'INTEGER'}`,
      ...(isNullable(name) ? [] : ['NOT NULL']),
      ...(field?.options.unique ? ['UNIQUE'] : []),
      ...(field?.references ? [`REFERENCES ${field.references} (id)`] : []),
      ...checks.flatMap((check) => (check ? [`CHECK (${check})`] : [])),
    ].join(' ')
  })
  const filters = Object.entries(options).flatMap(([name, field]) =>
    !(name in shape) || !field?.options.filter || field.options.unique ? [] : [name],
  )
  const indexes = [...(parent ? [`${parent.name}Id`] : []), ...filters].map((name) => {
    const some = isNullable(name) ? ` WHERE ${name} IS NOT NULL` : ''
    return `CREATE INDEX ${table}_by_${name} ON ${table} (${name})${some};`
  })
  return `CREATE TABLE ${table} (
  seq INTEGER PRIMARY KEY,
  ${columns.join(',\n  ')}
) STRICT;
${indexes.join('\n')}`
}

const wordsOf = (schema: z.ZodType | undefined): readonly unknown[] | undefined => {
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema
  return inner instanceof z.ZodEnum ? inner.options : undefined
}

/** A movement that takes money from a payment, such as a refund, happens once. */
function movingId(kind: ResourceName): string {
  const { table, order } = DEFINITIONS[kind]
  return `${kind}Id TEXT ${order === 'payment' ? 'UNIQUE ' : ''}REFERENCES ${table} (id)`
}

export const SCHEMA = `
${Object.values(DEFINITIONS).map(tableOf).join('\n\n')}

-- the values of the fields that a profile adds to resources; a map has a row for itself and one for each key
CREATE TABLE added (
  seq INTEGER PRIMARY KEY,
  resource TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (resource, name, key)
) STRICT;
CREATE INDEX added_by_value ON added (name, key, value);

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
  kind TEXT NOT NULL CHECK (${LEDGER_KIND_NAMES.map((kind) => `kind = '${kind}'`).join(' OR ')}),
  amount INTEGER NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  ${MOVING_KINDS.map(movingId).join(',\n  ')},
  createdAt INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_payment ON ledger (${PAYMENT});

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

/** In the header of each file (`user_version`): a file with another value is refused. */
export const LAYOUT = createHash('sha256').update(SCHEMA).digest().readInt32BE()
