/** §6 events: each is returned with the same bytes that its webhook delivers. */
import { found } from '../../spec/contract/errors.ts'
import { EventQuery } from '../../spec/contract/event.ts'
import { operation } from './operation.ts'

export const getEvents = operation({
  id: 'events.list',
  query: EventQuery,
  run(unit, { query }) {
    const page = unit.store.events.list(query)
    return { ...page, data: page.data.map((event) => event.body) }
  },
})

export const getEvent = operation({
  id: 'events.get',
  run: (unit, { params }) => found(unit.store.events.find(params.id), 'Event').body,
})
