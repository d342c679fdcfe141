/** `paysim completion bash`: a script with which a shell completes commands, flags and their values, generated from the rows. */
import { z } from 'zod'
import { type CommandOption, commandOptions, valueSchema } from '../../spec/options/option.ts'
import { shellQuoted } from '../../spec/typed.ts'
import { COMMANDS, type Resolved } from '../options/commands.ts'
import { printText } from './terminal.ts'

interface Completed {
  name: string
  summary: string
  flags: readonly CommandOption[]
}

const COMPLETED: readonly Completed[] = [
  ...Object.entries(COMMANDS).map(([name, { summary, options }]) => ({
    name,
    summary,
    flags: commandOptions(options, name).filter(({ argument, hidden }) => !argument && !hidden),
  })),
  { name: 'help', summary: 'print the help of a command', flags: [] },
]

/** The possible values of an option, if there are only a few. */
function wordsOf({ schema }: CommandOption): string[] {
  const value = valueSchema(schema)
  return value instanceof z.ZodEnum ? value.options.map(String) : []
}

/** A branch of `case` in a shell. */
const branch = (pattern: string, words: readonly string[]) =>
  `    '${pattern}') words='${words.join(' ')}' ;;`

/** `isTaken` is a command that succeeds if the shell already completes npx. */
const bash = (isTaken: string) => `_paysim() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${COMPLETED.flatMap(({ name, flags }) =>
  flags
    .filter((flag) => wordsOf(flag).length > 0)
    .map((flag) => branch(`${name} ${flag.flag}`, wordsOf(flag))),
).join('\n')}
    *) case "$COMP_CWORD \${COMP_WORDS[1]} $current" in
    '1 '*) words='${COMPLETED.map(({ name }) => name).join(' ')}' ;;
${COMPLETED.map(({ name, flags }) => {
  const words = [...flags.map(({ flag }) => flag), '--config', '--no-config', '--help']
  return `    *' ${name} '-*) words='${words.join(' ')}' ;;`
}).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _paysim paysim
_paysim_npx() {
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W paysim -- "\${COMP_WORDS[1]}")); return; fi
  [ "\${COMP_WORDS[1]}" = paysim ] || return
  COMP_WORDS=("\${COMP_WORDS[@]:1}") COMP_CWORD=$((COMP_CWORD - 1))
  _paysim
}
${isTaken} || complete -o default -F _paysim_npx npx`

function fish(): string {
  const lines = COMPLETED.flatMap(({ name, summary, flags }) => [
    `complete -c paysim -n __fish_use_subcommand -f -a ${name} -d ${shellQuoted(summary)}`,
    ...flags.map((flag) => {
      const words = wordsOf(flag).join(' ')
      const value =
        flag.placeholder === undefined ? '' : words === '' ? ' -r' : ` -x -a ${shellQuoted(words)}`
      return `complete -c paysim -n '__fish_seen_subcommand_from ${name}' -l ${flag.flag.slice(2)}${value} -d ${shellQuoted(flag.help)}`
    }),
  ])
  // After npx, complete as if the words after it were typed alone.
  return `${lines.join('\n')}
complete -c npx -n __fish_use_subcommand -f -a paysim
complete -c npx -n '__fish_seen_subcommand_from paysim' -f -a '(complete -C (string replace -r "^\\s*npx\\s+" "" -- (commandline -cp)))'`
}

const SCRIPTS: Record<Resolved<'completion'>['shell'], () => string> = {
  bash: () => bash('complete -p npx >/dev/null 2>&1'),
  // zsh runs the bash script through its bashcompinit.
  zsh: () => `autoload -U +X bashcompinit && bashcompinit\n${bash('(( ${+_comps[npx]} ))')}`,
  fish,
}

export async function completion({ shell }: Resolved<'completion'>): Promise<void> {
  printText(SCRIPTS[shell]())
}
