/**
 * `paysim completion bash`: a script by which a shell completes commands, flags and their words. Made from
 * the rows.
 */
import { z } from 'zod'
import { type CommandOption, commandOptions, valueSchema } from '../../spec/options/option.ts'
import { shellQuoted } from '../../spec/typed.ts'
import type { CommandRow } from '../options/command-row.ts'
import { COMMANDS, type Resolved } from '../options/commands.ts'
import { printText } from './terminal.ts'

interface Completed {
  name: string
  summary: string
  flags: readonly CommandOption[]
}

const ROWS = Object.entries(COMMANDS) as [string, CommandRow][]

const completed = (): Completed[] => [
  ...ROWS.map(([name, { summary, options }]) => ({
    name,
    summary,
    flags: commandOptions(options(), name).filter(({ argument, hidden }) => !argument && !hidden),
  })),
  { name: 'help', summary: 'print the help of a command', flags: [] },
]

/** The words that an option takes, where there are only a few. */
function wordsOf({ schema }: CommandOption): string[] {
  const value = valueSchema(schema)
  return value instanceof z.ZodEnum ? value.options.map(String) : []
}

const EVERYWHERE = ['--config', '--no-config', '--help']

const SCRIPTS: Record<Resolved<'completion'>['shell'], (commands: readonly Completed[]) => string> = {
  bash: (commands) => `_paysim() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then words='${commands.map(({ name }) => name).join(' ')}'
  else
    case "\${COMP_WORDS[1]} $before" in
${commands
  .flatMap(({ name, flags }) =>
    flags
      .filter((flag) => wordsOf(flag).length > 0)
      .map((flag) => `      '${name} ${flag.flag}') words='${wordsOf(flag).join(' ')}' ;;`),
  )
  .join('\n')}
      *)
        case "\${COMP_WORDS[1]}" in
${commands
  .map(
    ({ name, flags }) =>
      `          ${name}) words='${[...flags.map(({ flag }) => flag), ...EVERYWHERE].join(' ')}' ;;`,
  )
  .join('\n')}
        esac
        case "$current" in -*) ;; *) words= ;; esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _paysim paysim
_paysim_npx() {
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W paysim -- "\${COMP_WORDS[1]}")); return; fi
  [ "\${COMP_WORDS[1]}" = paysim ] || return
  COMP_WORDS=("\${COMP_WORDS[@]:1}") COMP_CWORD=$((COMP_CWORD - 1))
  _paysim
}
complete -p npx >/dev/null 2>&1 || complete -o default -F _paysim_npx npx`,

  zsh: (commands) => `#compdef paysim
_paysim() {
  local -a commands flags
  commands=(${commands.map(({ name, summary }) => `\n    ${shellQuoted(`${name}:${summary}`)}`).join('')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${commands.map(({ name, flags }) => `    ${name}) flags=(${flags.map(zshFlag).join(' ')}) ;;`).join('\n')}
  esac
  flags+=('--config[options from this file]:file:_files' '--no-config[no options from a file]' '--help[print the help]')
  _arguments -s : $flags '*:file:_files'
}
compdef _paysim paysim
_paysim_npx() {
  if (( CURRENT == 2 )); then compadd paysim; _files; return; fi
  [[ $words[2] == paysim ]] || { _files; return }
  shift words
  (( CURRENT -= 1 ))
  _paysim
}
(( \${+_comps[npx]} )) || compdef _paysim_npx npx`,

  fish: (commands) =>
    [
      ...commands.flatMap(({ name, summary, flags }) => [
        `complete -c paysim -n __fish_use_subcommand -f -a ${name} -d ${shellQuoted(summary)}`,
        ...flags.map((flag) => {
          const words = wordsOf(flag)
          const takes = flag.placeholder
            ? words.length > 0
              ? ` -x -a ${shellQuoted(words.join(' '))}`
              : ' -r'
            : ''
          const where = shellQuoted(`__fish_seen_subcommand_from ${name}`)
          return `complete -c paysim -n ${where} -l ${flag.flag.slice(2)}${takes} -d ${shellQuoted(flag.help)}`
        }),
      ]),
      'complete -c npx -n __fish_use_subcommand -f -a paysim',
      // What follows npx is completed as if it was typed alone.
      `complete -c npx -n '__fish_seen_subcommand_from paysim' -f -a '(complete -C (string replace -r "^\\s*npx\\s+" "" -- (commandline -cp)))'`,
    ].join('\n'),
}

/** Square brackets and colons mean something there. */
function zshFlag(option: CommandOption): string {
  const { flag, placeholder, help, repeatable } = option
  const said = help.replaceAll(/[[\]:]/g, ' ')
  const words = wordsOf(option)
  const values = words.length > 0 ? `(${words.join(' ')})` : '_files'
  const takes = placeholder ? `:${placeholder.replaceAll(/[:=]/g, ' ')}:${values}` : ''
  return shellQuoted(`${repeatable ? '*' : ''}${flag}[${said}]${takes}`)
}

export async function completion({ shell }: Resolved<'completion'>): Promise<void> {
  printText(SCRIPTS[shell](completed()))
}
