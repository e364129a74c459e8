import ts from './typescript.ts'

/** Text of a statement, or the expression of a parameter. */
export type Piece = string | ts.Expression

/** A template with one branch chosen for each condition. */
type Variant = Piece[]

/** The arguments of the enclosing function calls, by parameter. */
type Arguments = ReadonlyMap<ts.Symbol, { node: ts.Expression; args: Arguments }>

const NO_ARGUMENTS: Arguments = new Map()
const DEPTH_MAX = 30
/** Maximum number of functions that a fragment is passed through. */
const CALLERS_MAX = 5
/** The types of postgres.js that insert text into a statement rather than a parameter. */
const FRAGMENT_TYPES = new Set(['PendingQuery', 'Helper', 'Identifier', 'PendingRawQuery'])

/** Returns whether an expression is a fragment of a statement, rather than a parameter. */
export function isFragment(node: ts.Expression, checker: ts.TypeChecker): boolean {
  const type = checker.getTypeAtLocation(node)
  const types = type.isUnion() ? type.types : [type]
  return types.some((one) => FRAGMENT_TYPES.has(one.symbol?.name ?? one.aliasSymbol?.name ?? ''))
}

class Unread extends Error {}

/** Thrown for a fragment that is a function parameter, whose text depends on the callers. */
class Handed extends Error {
  readonly parameter: ts.ParameterDeclaration

  constructor(parameter: ts.ParameterDeclaration) {
    super(`found no call that binds the parameter ${parameter.getText()}`)
    this.parameter = parameter
  }
}

export class FragmentReader {
  /** Templates that are fragments of other templates. */
  readonly contained = new Set<ts.TaggedTemplateExpression>()
  readonly #checker: ts.TypeChecker
  readonly #sources: readonly ts.SourceFile[]
  /** Calls by the name of the called function. */
  #calls: Map<string, ts.CallExpression[]> | null = null
  #depth = 0

  constructor(checker: ts.TypeChecker, sources: readonly ts.SourceFile[]) {
    this.#checker = checker
    this.#sources = sources
  }

  /** Returns the variants of a template. Together they cover each branch at least once. */
  read(template: ts.TaggedTemplateExpression): { variants: Variant[]; unread: string[] } {
    try {
      return { variants: this.#inCallers(template, NO_ARGUMENTS), unread: [] }
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      return { variants: [], unread: [error.message] }
    }
  }

  /** Reads a template once per call that passes fragments to its function. */
  #inCallers(template: ts.TaggedTemplateExpression, args: Arguments, depth = 0): Variant[] {
    try {
      return this.#template(template, args)
    } catch (error) {
      if (!(error instanceof Handed)) throw error
      const { parent: called } = error.parameter
      const calls = this.#callsOf(called)
      if (calls.length === 0 || depth > CALLERS_MAX) throw new Unread(error.message)
      return calls.flatMap((call) => this.#inCallers(template, this.#handed(called, call, args), depth + 1))
    }
  }

  #template({ template }: ts.TaggedTemplateExpression, args: Arguments): Variant[] {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return [[template.text]]
    const parts: Variant[][] = [[[template.head.text]]]
    for (const { expression, literal } of template.templateSpans) {
      parts.push(isFragment(expression, this.#checker) ? this.#fragment(expression, args) : [[expression]], [
        [literal.text],
      ])
    }
    return combine(parts)
  }

  #fragment(node: ts.Expression, args: Arguments): Variant[] {
    if (this.#depth > DEPTH_MAX) throw new Unread('fragments contain themselves')
    this.#depth++
    try {
      return this.#read(node, args)
    } finally {
      this.#depth--
    }
  }

  #read(node: ts.Expression, args: Arguments): Variant[] {
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
      return this.#fragment(node.expression, args)
    if (ts.isTaggedTemplateExpression(node)) {
      this.contained.add(node)
      return this.#template(node, args)
    }
    if (ts.isConditionalExpression(node)) {
      const chosen = this.#truth(node.condition, args)
      return [
        ...(chosen === false ? [] : this.#fragment(node.whenTrue, args)),
        ...(chosen === true ? [] : this.#fragment(node.whenFalse, args)),
      ]
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      return [...this.#fragment(node.left, args), ...this.#fragment(node.right, args)]
    if (ts.isCallExpression(node)) return this.#call(node, args)
    if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) return this.#named(node, args)
    if (ts.isElementAccessExpression(node)) return this.#member(node, args)
    throw new Unread(`${ts.SyntaxKind[node.kind]} is not a readable fragment: ${node.getText()}`)
  }

  /** For `strength[kind]`, every property of the object is a branch. */
  #member(node: ts.ElementAccessExpression, args: Arguments): Variant[] {
    const object = this.#initializer(node.expression)
    if (!object || !ts.isObjectLiteralExpression(object)) throw new Unread(node.getText())
    return object.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) ? this.#fragment(property.initializer, args) : [],
    )
  }

  #named(node: ts.Identifier | ts.PropertyAccessExpression, args: Arguments): Variant[] {
    const symbol = this.#symbol(node)
    const given = symbol && args.get(symbol)
    if (given) return this.#fragment(given.node, given.args)
    const initializer = this.#initializer(node)
    if (initializer) return this.#fragment(initializer, args)
    const declaration = symbol?.valueDeclaration
    if (declaration && ts.isParameter(declaration)) throw new Handed(declaration)
    throw new Unread(`cannot resolve ${node.getText()}`)
  }

  #call(call: ts.CallExpression, args: Arguments): Variant[] {
    const called = this.#checker.getResolvedSignature(call)?.declaration
    if (!called) throw new Unread(`cannot resolve the function in ${call.getText()}`)
    if (called.getSourceFile().fileName.includes('/node_modules/postgres/')) return this.#driver(call, args)
    if (ts.isPropertyAccessExpression(call.expression) && call.expression.name.text === 'reduce')
      return this.#reduced(call.expression.expression, call.arguments, args)
    const bodies = returnedBy(called as ts.SignatureDeclaration)
    if (bodies.length === 0) throw new Unread(`the function in ${call.getText()} has no readable body`)
    const handed = this.#handed(called as ts.SignatureDeclaration, call, args)
    return bodies.flatMap((body) => this.#fragment(body, handed))
  }

  /** Binds the parameters of a function to the arguments of a call. */
  #handed({ parameters }: ts.SignatureDeclaration, call: ts.CallExpression, args: Arguments): Arguments {
    const handed = new Map(args)
    for (const [index, { name, initializer }] of parameters.entries())
      for (const [symbol, node] of this.#bound(name, call.arguments[index] ?? initializer))
        handed.set(symbol, { node, args })
    return handed
  }

  /** Binds a parameter, or each name of its destructuring pattern, to an expression. */
  #bound(name: ts.BindingName, node: ts.Expression | undefined): [ts.Symbol, ts.Expression][] {
    if (!node) return []
    if (ts.isIdentifier(name)) {
      const symbol = this.#checker.getSymbolAtLocation(name)
      return symbol ? [[symbol, node]] : []
    }
    if (!ts.isObjectBindingPattern(name) || !ts.isObjectLiteralExpression(node)) return []
    return name.elements.flatMap((element) => {
      const key = (element.propertyName ?? element.name).getText()
      const property = node.properties.find((one) => one.name?.getText() === key)
      return property && ts.isPropertyAssignment(property)
        ? this.#bound(element.name, property.initializer)
        : []
    })
  }

  /** For `parts.reduce((before, one) => sql`…`)`, reads each part as if it were the only one. */
  #reduced(parts: ts.Expression, [reducer, first]: readonly ts.Expression[], args: Arguments): Variant[] {
    const elements = this.#elements(parts)
    if (!reducer || !ts.isArrowFunction(reducer) || !ts.isExpression(reducer.body) || elements.length === 0)
      throw new Unread(`cannot resolve the elements of ${parts.getText()}`)
    const [before, one] = reducer.parameters.map(({ name }) => this.#symbol(name))
    return elements.flatMap((node) => {
      const handed = new Map(args)
      if (before) handed.set(before, { node: first ?? node, args })
      if (one) handed.set(one, { node, args })
      return this.#fragment(reducer.body as ts.Expression, handed)
    })
  }

  /** Returns the expressions that an array's elements are created from. */
  #elements(array: ts.Expression): ts.Expression[] {
    if (ts.isParenthesizedExpression(array)) return this.#elements(array.expression)
    if (ts.isArrayLiteralExpression(array))
      return array.elements.flatMap((one) =>
        ts.isSpreadElement(one) ? this.#elements(one.expression) : [one],
      )
    if (ts.isConditionalExpression(array))
      return [...this.#elements(array.whenTrue), ...this.#elements(array.whenFalse)]
    if (ts.isCallExpression(array)) {
      const [mapper] = array.arguments
      return mapper && ts.isArrowFunction(mapper) ? returnedBy(mapper) : []
    }
    const initializer = this.#initializer(array)
    return initializer ? this.#elements(initializer) : []
  }

  /** Returns the variants of `sql('name')` or `sql.unsafe('text')`. */
  #driver(call: ts.CallExpression, args: Arguments): Variant[] {
    const [argument] = call.arguments
    if (!argument) throw new Unread(call.getText())
    const isRaw = ts.isPropertyAccessExpression(call.expression)
    return this.#texts(argument, args).map((text) => [isRaw ? text : quote(text)])
  }

  /** Returns the possible values of a string expression, by its type or by the bound argument. */
  #texts(node: ts.Expression, args: Arguments): string[] {
    const type = this.#checker.getTypeAtLocation(node)
    const types = type.isUnion() ? type.types : [type]
    if (types.every((one) => one.isStringLiteral())) return types.map((one) => one.value)
    const symbol = this.#symbol(node)
    const given = symbol && args.get(symbol)
    if (given) return this.#texts(given.node, given.args)
    throw new Unread(`${node.getText()} is not a string literal`)
  }

  /** Returns the value of a condition, or undefined if the bound arguments don't determine it. */
  #truth(condition: ts.Expression, args: Arguments): boolean | undefined {
    const symbol = this.#symbol(condition)
    const given = symbol && args.get(symbol)
    if (given) return this.#truth(given.node, given.args)
    if (condition.kind === ts.SyntaxKind.TrueKeyword || ts.isTaggedTemplateExpression(condition)) return true
    const isNothing =
      condition.kind === ts.SyntaxKind.FalseKeyword || condition.kind === ts.SyntaxKind.NullKeyword
    return isNothing ? false : undefined
  }

  /** Returns the initializer of a constant or a property. */
  #initializer(node: ts.Expression): ts.Expression | undefined {
    const declaration = this.#symbol(node)?.valueDeclaration
    if (!declaration) return undefined
    const isSet =
      ts.isVariableDeclaration(declaration) ||
      ts.isPropertyAssignment(declaration) ||
      ts.isPropertyDeclaration(declaration)
    return isSet ? declaration.initializer : undefined
  }

  #symbol(node: ts.Node): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(node)
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }

  #callsOf(declaration: ts.SignatureDeclaration): ts.CallExpression[] {
    this.#calls ??= Map.groupBy(this.#sources.flatMap(callsIn), ({ expression }) => lastNameOf(expression))
    const name = declaration.name ?? (declaration.parent as ts.NamedDeclaration).name
    return (this.#calls.get(name?.getText() ?? '') ?? []).filter(
      (call) => this.#checker.getResolvedSignature(call)?.declaration === declaration,
    )
  }
}

function callsIn(node: ts.Node): ts.CallExpression[] {
  const found: ts.CallExpression[] = ts.isCallExpression(node) ? [node] : []
  ts.forEachChild(node, (child) => void found.push(...callsIn(child)))
  return found
}

const lastNameOf = (callee: ts.Expression): string =>
  ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText()

/** Returns one variant with all first branches, then one per further branch with the first branches elsewhere. */
function combine(parts: Variant[][]): Variant[] {
  const withChoice = (at: number, choice: Variant): Variant =>
    parts.flatMap((choices, index) => (index === at ? choice : (choices[0] ?? [])))
  return [
    parts.flatMap((choices) => choices[0] ?? []),
    ...parts.flatMap((choices, at) => choices.slice(1).map((choice) => withChoice(at, choice))),
  ]
}

/** Returns the expressions that a function can return. */
function returnedBy(declaration: ts.SignatureDeclaration): ts.Expression[] {
  const body = 'body' in declaration ? (declaration.body as ts.ConciseBody | undefined) : undefined
  if (!body) return []
  if (!ts.isBlock(body)) return [body]
  const found: ts.Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression)
    ts.forEachChild(node, visit)
  }
  visit(body)
  return found
}

const quote = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
