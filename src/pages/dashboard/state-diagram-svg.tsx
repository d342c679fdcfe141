/** Renders a state diagram as SVG, with the present state marked. */
import { type Diagram, layOutStates, type PermittedMove, STATE_HEIGHT } from './state-diagram.ts'
import { stateTone } from './state-tones.ts'

export interface StateDiagramProps {
  name: string
  moves: Readonly<Record<string, PermittedMove>>
  /** Undefined where no single resource is shown. */
  present?: string | undefined
}

export function StateDiagram({ name, moves, present }: StateDiagramProps) {
  const diagram = layOutStates(moves)
  const { width, height } = diagram
  return (
    <figure class="states">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img">
        <title>{diagramTitle(name, diagram, present)}</title>
        <Begin diagram={diagram} />
        {diagram.moves.map((move) => (
          <g class={present === undefined || move.from === present ? 'move open' : 'move'}>
            <path d={move.path} />
            <path class="head" d={headOf(move.path, diagram, move.to)} />
            <text x={move.label.x} y={move.label.y} class={move.label.centered ? 'center' : undefined}>
              {move.name}
            </text>
          </g>
        ))}
        {diagram.states.map((state) => (
          <g class={`state ${stateTone(state.name)}${state.name === present ? ' present' : ''}`}>
            <rect x={state.x} y={state.y} width={state.width} height={STATE_HEIGHT} rx={STATE_HEIGHT / 2} />
            <text x={state.x + state.width / 2} y={state.y + 19.5} class="center">
              {state.name}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  )
}

function Begin({ diagram: { states } }: { diagram: Diagram }) {
  const first = states[0]!
  const y = first.y + STATE_HEIGHT / 2
  return (
    <g class="begin">
      <circle cx={5} cy={y} r={4} />
      <path d={`M9 ${y}H${first.x - 1}`} />
    </g>
  )
}

/** The arrowhead points down at the end of a curve, else to the right. */
function headOf(path: string, { states }: Diagram, to: string): string {
  const state = states.find(({ name }) => name === to)!
  if (path.includes('C')) {
    const x = state.x + state.width / 2
    return `M${x} ${state.y - 1}l-4-7h8z`
  }
  const y = state.y + STATE_HEIGHT / 2
  return `M${state.x - 1} ${y}l-7-4v8z`
}

function diagramTitle(name: string, { moves }: Diagram, present: string | undefined): string {
  const texts = moves.map(({ name: move, from, to }) => `${move}: ${from} to ${to}`)
  const now = present === undefined ? '' : `, now ${present}`
  return `The states of ${name}${now}. ${texts.join('; ')}`
}
