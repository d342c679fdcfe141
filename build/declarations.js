/**
 * Rolls the declarations up: one `dist/NAME.d.ts` for each entry of package.json, with everything that its exports mention and
 * nothing else. A type that is read off a schema (`z.infer<typeof X>`) or off a value (`typeof X`) is written out, so that a
 * user's compiler needs neither zod nor hono. A reference to another package stops the build.
 *
 * It reads what `tsc` has emitted into dist/types, and needs the compiler's JavaScript API, which TypeScript 7 no longer has:
 * it takes the older compiler that arethetypeswrong, which checks the packed declarations, brings along.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join, sep } from 'node:path'

const ts = createRequire(import.meta.resolve('@arethetypeswrong/core'))('typescript')

const root = join(import.meta.dirname, '..')
const emitted = join(root, 'dist', 'types')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = Object.values(manifest.exports).flatMap(({ types }) =>
  types ? [types.match(/([\w-]+)\.d\.ts$/)[1]] : [],
)
const peers = Object.keys(manifest.peerDependencies)

const program = ts.createProgram(
  entries.map((name) => join(emitted, `${name}.d.ts`)),
  {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
  },
)
const checker = program.getTypeChecker()

const fileOf = (declaration) => declaration.getSourceFile().fileName.split('/').join(sep)
const isOurs = (declaration) => fileOf(declaration).startsWith(emitted + sep)
const isGlobal = (declaration) => {
  const file = declaration.getSourceFile()
  return (
    program.isSourceFileDefaultLibrary(file) ||
    /node_modules\/(@types\/node|undici-types)\//.test(file.fileName)
  )
}
const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
const firstOf = (symbol) => symbol?.declarations?.[0]

/** One entry's declarations, as they are found. */
class RolledUp {
  /** Symbol to its name in this file. */
  #names = new Map()
  #taken = new Set()
  #waiting = []
  #written = []
  /** Module to the names that are imported from it. */
  #imports = new Map()
  /** Types that mention themselves, which need a name. */
  #open = []
  #recursive = new Map()

  write(entry) {
    const source = program.getSourceFile(join(emitted, `${entry}.d.ts`))
    const exported = checker
      .getExportsOfModule(checker.getSymbolAtLocation(source))
      .map((symbol) => ({ as: symbol.name, symbol: resolved(symbol) }))
    const names = exported.map(({ as, symbol }) => {
      const name = this.#nameOf(symbol)
      const isType = !(symbol.flags & ts.SymbolFlags.Value) || isSchema(symbol)
      return `${isType ? 'type ' : ''}${name === as ? as : `${name} as ${as}`}`
    })
    while (this.#waiting.length > 0) {
      const symbol = this.#waiting.shift()
      for (const declaration of symbol.declarations.filter(isWritten(symbol)))
        this.#written.push(this.#declare(declaration))
    }
    const imports = [...this.#imports].map(
      ([module, some]) => `import type { ${[...some].sort().join(', ')} } from '${module}'\n`,
    )
    const text = [...imports, ...this.#written, `export { ${names.sort().join(', ')} }`].join('\n')
    writeFileSync(join(root, 'dist', `${entry}.d.ts`), `${text.replaceAll(/\n{3,}/g, '\n\n')}\n`)
  }

  #nameOf(symbol) {
    if (!this.#names.has(symbol)) {
      this.#names.set(symbol, this.#freeName(symbol.name))
      this.#waiting.push(symbol)
    }
    return this.#names.get(symbol)
  }

  #freeName(wanted) {
    let name = wanted
    for (let n = 2; this.#taken.has(name); n += 1) name = `${wanted}${n}`
    this.#taken.add(name)
    return name
  }

  /** A declaration's own text and comments, in which only what it refers to is replaced. */
  #declare(declaration) {
    const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
    const text = this.#edited(statement)
    const comments = commentOf(statement)
    const bare = text.replace(/^(export )?(default )?(declare )?/, '')
    const needsDeclare = !ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)
    return `${comments}${needsDeclare ? 'declare ' : ''}${bare}\n`
  }

  #edited(node) {
    const source = node.getSourceFile()
    const start = node.getStart(source)
    const edits = []
    const visit = (one) => {
      if (ts.isTypeNode(one) && this.#isReadOff(one)) {
        edits.push([one, this.#print(checker.getTypeFromTypeNode(one), one)])
        return
      }
      if (ts.isImportTypeNode(one)) {
        const symbol = resolved(checker.getSymbolAtLocation(one.qualifier))
        const args = one.typeArguments?.map((argument) => this.#edited(argument))
        edits.push([one, this.#refer(symbol, one) + (args ? `<${args.join(', ')}>` : '')])
        return
      }
      if (ts.isIdentifier(one) && isReference(one)) {
        const symbol = checker.getSymbolAtLocation(one)
        if (symbol) edits.push([one, this.#refer(resolved(symbol), one)])
        return
      }
      ts.forEachChild(one, visit)
    }
    visit(node)
    let text = source.text.slice(start, node.end)
    for (const [one, instead] of edits.sort(([a], [b]) => b.getStart() - a.getStart())) {
      text = text.slice(0, one.getStart() - start) + instead + text.slice(one.end - start)
    }
    return text
  }

  /** Whether a type is read off a schema or a value, and so has to be written out. */
  #isReadOff(node) {
    if (ts.isTypeQueryNode(node)) return true
    if (ts.isIndexedAccessTypeNode(node)) return this.#isReadOff(node.objectType)
    if (ts.isParenthesizedTypeNode(node)) return this.#isReadOff(node.type)
    if (ts.isTypeOperatorNode(node)) return this.#isReadOff(node.type)
    if (!ts.isTypeReferenceNode(node) && !ts.isImportTypeNode(node)) return false
    const name = ts.isImportTypeNode(node) ? node.qualifier : node.typeName
    const declaration = name && firstOf(resolved(checker.getSymbolAtLocation(name)))
    return declaration !== undefined && !isOurs(declaration) && !isGlobal(declaration) && !isPeer(declaration)
  }

  #refer(symbol, at) {
    const declaration = firstOf(symbol)
    if (!declaration || ts.isTypeParameterDeclaration(declaration)) return symbol.name
    if (isOurs(declaration)) return isTopLevel(declaration) ? this.#nameOf(symbol) : symbol.name
    const module = moduleOf(at, symbol)
    if (module) {
      this.#imports.set(module, (this.#imports.get(module) ?? new Set()).add(symbol.name))
      return symbol.name
    }
    if (isGlobal(declaration)) return symbol.name
    throw new Error(`${at.getSourceFile().fileName} mentions ${symbol.name} of ${fileOf(declaration)}`)
  }

  #print(type, at) {
    const alias = type.aliasSymbol
    if (alias && isOurs(firstOf(alias)) && firstOf(alias) !== at.parent)
      return this.#reference(alias, type.aliasTypeArguments, at)
    const schema = schemaTypes.get(type)
    if (schema && !schema.declarations.includes(at.parent)) return this.#nameOf(schema)
    if (type.flags & ts.TypeFlags.TypeParameter) return type.symbol.name
    if (type.flags & ts.TypeFlags.Boolean) return 'boolean'
    if (type.isUnion()) return this.#union(type.types, at)
    if (type.isIntersection()) return type.types.map((one) => this.#print(one, at)).join(' & ')
    if (!(type.flags & ts.TypeFlags.Object)) return checker.typeToString(type)
    if (checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type).map((one) => this.#print(one, at))
      return `${type.target.readonly ? 'readonly ' : ''}[${items.join(', ')}]`
    }
    if (checker.isArrayType(type)) {
      const item = this.#print(checker.getTypeArguments(type)[0], at)
      return `${type.symbol.name === 'ReadonlyArray' ? 'readonly ' : ''}${/^\w+$/.test(item) ? item : `(${item})`}[]`
    }
    const declaration = firstOf(type.symbol)
    const isNamed =
      declaration && (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration))
    if (isNamed && (isOurs(declaration) || isGlobal(declaration))) {
      return this.#reference(type.symbol, checker.getTypeArguments(type), at)
    }
    return this.#object(type, at)
  }

  #reference(symbol, typeArguments = [], at) {
    const args = typeArguments.map((one) => this.#print(one, at))
    return this.#refer(symbol, at) + (args.length > 0 ? `<${args.join(', ')}>` : '')
  }

  #union(types, at) {
    const isBoolean = (one) => one.flags & ts.TypeFlags.BooleanLiteral
    const rest = types.filter((one) => !isBoolean(one)).map((one) => this.#print(one, at))
    const booleans = types.filter(isBoolean)
    if (booleans.length === 2) rest.push('boolean')
    else if (booleans.length === 1) rest.push(checker.typeToString(booleans[0]))
    // null and undefined last, as one writes them.
    const last = ['null', 'undefined']
    return [...new Set(rest)]
      .sort((a, b) => last.indexOf(a) - last.indexOf(b))
      .map((one) => (one.includes('=>') ? `(${one})` : one))
      .join(' | ')
  }

  #object(type, at) {
    if (this.#open.includes(type)) {
      if (!this.#recursive.has(type)) {
        const name = type.aliasSymbol?.name ?? type.symbol?.name ?? 'Recursive'
        this.#recursive.set(type, this.#freeName(name.startsWith('__') ? 'Recursive' : name))
      }
      return this.#recursive.get(type)
    }
    this.#open.push(type)
    const calls = type.getCallSignatures()
    const properties = type.getProperties()
    let text
    if (calls.length === 1 && properties.length === 0) {
      text = this.#function(calls[0], at)
    } else {
      const members = [
        ...checker
          .getIndexInfosOfType(type)
          .map(
            ({ keyType, type: value }) =>
              `[key: ${checker.typeToString(keyType)}]: ${this.#print(value, at)}`,
          ),
        ...properties.map((property) => this.#member(property, at)),
      ]
      text = members.length === 0 ? '{}' : `{\n${members.join('\n').replaceAll(/^/gm, '  ')}\n}`
    }
    this.#open.pop()
    const name = this.#recursive.get(type)
    if (!name) return text
    this.#written.push(`type ${name} = ${text}\n`)
    return name
  }

  #function(signature, at) {
    const { declaration } = signature
    if (declaration && isOurs(declaration) && ts.isFunctionTypeNode(declaration) && isAsDeclared(signature)) {
      return this.#edited(declaration)
    }
    const parameters = signature.getParameters().map((one) => {
      const isOptional = firstOf(one)?.questionToken !== undefined
      const isRest = firstOf(one)?.dotDotDotToken !== undefined
      const type = this.#print(checker.getTypeOfSymbolAtLocation(one, at), at)
      return `${isRest ? '...' : ''}${one.name}${isOptional ? '?' : ''}: ${type}`
    })
    return `(${parameters.join(', ')}) => ${this.#print(signature.getReturnType(), at)}`
  }

  #member(property, at) {
    const isOptional = property.flags & ts.SymbolFlags.Optional
    const declared = firstOf(property)
    const actual = checker.getTypeOfSymbolAtLocation(property, at)
    const isAsWritten =
      declared &&
      isOurs(declared) &&
      ts.isPropertySignature(declared) &&
      declared.type &&
      checker.getTypeFromTypeNode(declared.type) === actual
    const type = isAsWritten ? this.#edited(declared.type) : this.#print(actual, at)
    const doc = ts.displayPartsToString(property.getDocumentationComment(checker))
    const comment = doc ? `/** ${doc.replaceAll('\n', '\n * ')}${doc.includes('\n') ? '\n' : ''} */\n` : ''
    const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name)
    return `${comment}${name}${isOptional ? '?' : ''}: ${type}`
  }
}

/** A schema and its type share a name. Only the type is written. */
const isSchema = (symbol) =>
  (symbol.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface)) !== 0 &&
  symbol.declarations.some(ts.isVariableDeclaration)

const isWritten = (symbol) => (declaration) => !(ts.isVariableDeclaration(declaration) && isSchema(symbol))

/** The types of ours that are read off a schema, so that one inside of another is written by its name. */
const schemaTypes = new Map()
for (const file of program.getSourceFiles().filter((one) => isOurs(one))) {
  for (const statement of file.statements) {
    if (!ts.isTypeAliasDeclaration(statement) || statement.typeParameters) continue
    const symbol = checker.getSymbolAtLocation(statement.name)
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const isObject = (one) => (one.flags & ts.TypeFlags.Object) !== 0 && firstOf(one.symbol)
    if (isSchema(symbol) && (type.isUnion() ? type.types.some(isObject) : isObject(type)))
      schemaTypes.set(type, symbol)
  }
}

/** Whether a signature is the declaration's own, with no type argument put in. */
const isAsDeclared = (signature) => checker.getSignatureFromDeclaration(signature.declaration) === signature

const isTopLevel = (declaration) =>
  declaration.parent &&
  ts.isSourceFile(
    ts.isVariableDeclaration(declaration) ? declaration.parent.parent.parent : declaration.parent,
  )

const isPeer = (declaration) =>
  peers.some((name) => fileOf(declaration).includes(`node_modules${sep}${name}${sep}`))

/** An identifier that names something elsewhere: not a member's, a parameter's or a declaration's own name. */
function isReference(identifier) {
  const { parent } = identifier
  if (ts.isQualifiedName(parent)) return parent.left === identifier
  if (ts.isTypeReferenceNode(parent) || ts.isExpressionWithTypeArguments(parent)) return true
  return isNamedDeclaration(parent) && parent.name === identifier && isTopLevel(parent)
}
const isNamedDeclaration = (node) =>
  [
    ts.isInterfaceDeclaration,
    ts.isTypeAliasDeclaration,
    ts.isClassDeclaration,
    ts.isFunctionDeclaration,
    ts.isVariableDeclaration,
  ].some((is) => is(node))

/** The module of Node's or of a peer from which a file has imported this symbol. */
function moduleOf(at, symbol) {
  for (const statement of at.getSourceFile().statements) {
    if (!ts.isImportDeclaration(statement)) continue
    const module = statement.moduleSpecifier.text
    if (!isBuiltin(module) && !peers.includes(module)) continue
    const bindings = statement.importClause?.namedBindings
    if (bindings && ts.isNamedImports(bindings)) {
      for (const one of bindings.elements)
        if (resolved(checker.getSymbolAtLocation(one.name)) === symbol) return module
    }
  }
  return undefined
}

function commentOf(node) {
  const { text } = node.getSourceFile()
  const ranges = ts.getLeadingCommentRanges(text, node.pos) ?? []
  const last = ranges.at(-1)
  return last && text.startsWith('/**', last.pos) ? `${text.slice(last.pos, last.end)}\n` : ''
}

for (const entry of entries) new RolledUp().write(entry)
rmSync(emitted, { recursive: true })
