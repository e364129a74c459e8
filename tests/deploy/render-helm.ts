import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse as parseYaml, stringify } from 'yaml'

/*
 * Renders the part of Helm's templates that deploy/helm uses, and throws for everything else: texts, `define`, `if` and
 * `range` without `else`, pipelines, and the functions below. Stricter than Helm in one respect: a missing value is an
 * error and not `<no value>`.
 */

type Piece = { text: string } | { action: string }

interface Scope {
  dot: unknown
  variables: Record<string, unknown>
}

type Call = (...operands: unknown[]) => unknown

const ACTION = /\{\{(-)?\s+([^}]+?)\s+(-)?\}\}/g
const TOKEN = /"[^"]*"|\$?(?:\w+)?(?:\.\w+)+|\$\w*|\.|\w+|[|()]/g

/** Returns the Kubernetes objects of a chart. `values` are those of values.yaml with overrides. */
export function renderChart(folder: string, release: string, values: object): Record<string, unknown>[] {
  const chart = parseYaml(readFileSync(join(folder, 'Chart.yaml'), 'utf8'))
  const root = {
    Values: values,
    Release: { Name: release, Service: 'Helm' },
    Chart: { Name: chart.name, AppVersion: chart.appVersion },
  }
  const renderer = new Renderer(root)
  for (const path of globSync(join(folder, 'templates/*.tpl')))
    renderer.render(readFileSync(path, 'utf8'), basename(path))
  return globSync(join(folder, 'templates/*.yaml'))
    .sort()
    .flatMap((path) => renderer.render(readFileSync(path, 'utf8'), basename(path)).split(/^---$/m))
    .map((text) => parseYaml(text))
    .filter((object) => object !== null)
}

class Renderer {
  readonly #root: unknown
  readonly #definitions = new Map<string, Piece[]>()
  readonly #functions: Record<string, Call> = {
    include: (name, dot) => this.#renderDefinition(String(name), dot),
    toYaml: (value) => stringify(value, { lineWidth: 0 }).trimEnd(),
    nindent: (columns, text) => `\n${String(text)}`.replaceAll('\n', `\n${' '.repeat(Number(columns))}`),
    quote: (value) => JSON.stringify(String(value)),
    eq: (one, other) => one === other,
    and: (...operands) => operands.find((operand) => !isTrue(operand)) ?? operands.at(-1),
    not: (operand) => !isTrue(operand),
  }

  constructor(root: unknown) {
    this.#root = root
  }

  render(template: string, name: string): string {
    try {
      return this.#renderPieces(split(template), { dot: this.#root, variables: { $: this.#root } })
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
    }
  }

  #renderDefinition(name: string, dot: unknown): string {
    const body = this.#definitions.get(name)
    if (!body) throw new Error(`no template is named ${name}`)
    return this.#renderPieces(body, { dot, variables: { $: dot } })
  }

  #renderPieces(pieces: Piece[], scope: Scope): string {
    let output = ''
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index] as Piece
      if ('text' in piece) {
        output += piece.text
        continue
      }
      const [, keyword = '', rest = ''] = /^(define|if|range|\S+)\s*(.*)$/s.exec(piece.action) ?? []
      if (!['define', 'if', 'range'].includes(keyword)) {
        const value = this.#evaluate(piece.action, scope)
        if (value === undefined || value === null || typeof value === 'object')
          throw new Error(`{{ ${piece.action} }} is not a scalar`)
        output += String(value)
        continue
      }
      const end = findEnd(pieces, index)
      const body = pieces.slice(index + 1, end)
      index = end
      if (keyword === 'define') this.#definitions.set(JSON.parse(rest), body)
      else if (keyword === 'range') output += this.#renderRange(rest, body, scope)
      else if (isTrue(this.#evaluate(rest, scope))) output += this.#renderPieces(body, scope)
    }
    return output
  }

  /** Goes through a list, or through a map in the order of its keys. */
  #renderRange(clause: string, body: Piece[], scope: Scope): string {
    const [, key, value, pipeline] = /^(?:(\$\w+), (\$\w+) := )?(.*)$/s.exec(clause) ?? []
    const collection = this.#evaluate(pipeline ?? '', scope) as object
    const entries = Object.entries(collection)
    if (!Array.isArray(collection)) entries.sort(([one], [other]) => (one < other ? -1 : 1))
    return entries
      .map(([name, dot]) => {
        const variables = key && value ? { ...scope.variables, [key]: name, [value]: dot } : scope.variables
        return this.#renderPieces(body, { dot, variables })
      })
      .join('')
  }

  #evaluate(pipeline: string, scope: Scope): unknown {
    const tokens = pipeline.match(TOKEN) ?? []
    if (tokens.join('') !== pipeline.replace(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ''))
      throw new Error(`{{ ${pipeline} }} is not supported`)
    const value = this.#evaluatePipeline(tokens, scope)
    if (tokens.length > 0) throw new Error(`{{ ${pipeline} }} has an unexpected ${tokens[0]}`)
    return value
  }

  /** Consumes tokens up to the end or a closing parenthesis. */
  #evaluatePipeline(tokens: string[], scope: Scope): unknown {
    let piped: unknown[] = []
    do {
      const name = tokens[0] ?? ''
      const call = /^[a-z]\w*$/i.test(name) ? this.#functions[name] : undefined
      if (call) tokens.shift()
      const operands: unknown[] = []
      while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')')
        operands.push(this.#evaluateOperand(tokens, scope))
      if (!call && operands.length + piped.length !== 1) throw new Error(`${name} is not a function`)
      piped = [call ? call(...operands, ...piped) : operands[0]]
    } while (tokens[0] === '|' && tokens.shift())
    return piped[0]
  }

  #evaluateOperand(tokens: string[], scope: Scope): unknown {
    const token = tokens.shift() ?? ''
    if (token === '(') {
      const value = this.#evaluatePipeline(tokens, scope)
      if (tokens.shift() !== ')') throw new Error('a parenthesis is not closed')
      return value
    }
    if (token.startsWith('"')) return JSON.parse(token)
    if (/^\d+$/.test(token)) return Number(token)
    if (!/^[.$]/.test(token)) throw new Error(`${token} is not supported`)
    const [first = '', ...names] = token.split('.')
    if (first && !(first in scope.variables)) throw new Error(`${first} is not defined`)
    const start = first ? scope.variables[first] : scope.dot
    return names.filter(Boolean).reduce<unknown>((value, name) => {
      const found = (value as Record<string, unknown> | undefined)?.[name]
      if (found === undefined) throw new Error(`${token} is missing`)
      return found
    }, start)
  }
}

/** Splits a template into texts and actions, without the spaces that `{{-` and `-}}` remove. */
function split(template: string): Piece[] {
  const pieces: Piece[] = []
  let position = 0
  let trims = false
  const add = (text: string, trimsEnd: boolean): void => {
    const started = trims ? text.trimStart() : text
    pieces.push({ text: trimsEnd ? started.trimEnd() : started })
  }
  for (const { 0: whole, 1: before, 2: action = '', 3: after, index } of template.matchAll(ACTION)) {
    add(template.slice(position, index), before !== undefined)
    pieces.push({ action })
    position = index + whole.length
    trims = after !== undefined
  }
  add(template.slice(position), false)
  if (pieces.some((piece) => 'text' in piece && /\{\{|\}\}/.test(piece.text)))
    throw new Error('an action is not closed')
  return pieces
}

/** Returns the index of the `end` of the block that begins at an index. */
function findEnd(pieces: Piece[], begin: number): number {
  let depth = 0
  for (let index = begin; index < pieces.length; index++) {
    const piece = pieces[index] as Piece
    if (!('action' in piece)) continue
    if (/^(define|if|range)\b/.test(piece.action)) depth++
    if (/^(else|with|block|template)\b/.test(piece.action))
      throw new Error(`${piece.action} is not supported`)
    if (piece.action === 'end' && --depth === 0) return index
  }
  throw new Error('a block is not closed')
}

function isTrue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value)
  return Object.keys(value).length > 0
}
