/*
 * Evaluates the forms of PromQL that deploy/prometheus/alerts.yml uses, on two scrapes: selectors, rate, sum, max,
 * histogram_quantile, a quotient, and a comparison with a number. Any other form throws. A range is the time between the
 * scrapes, and `for` is not evaluated.
 */

export interface Sample {
  labels: Record<string, string>
  value: number
}
export interface Scrape {
  /** Time in seconds. */
  at: number
  text: string
}
type Series = Sample & { name: string }
interface Scrapes {
  seconds: number
  before: Series[]
  now: Series[]
}

/** Returns the samples for which an expression holds. A missing result means that an alert does not fire. */
export function evaluate(expression: string, before: Scrape, now: Scrape): Sample[] {
  const parser = new Parser(expression, {
    seconds: now.at - before.at,
    before: seriesOf(before.text),
    now: seriesOf(now.text),
  })
  return parser.all()
}

function seriesOf(text: string): Series[] {
  return [...text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/gim)].map(
    ([, name = '', inside = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]),
      ),
      value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
    }),
  )
}

const TOKEN = /\s*("[^"]*"|\d+(?:\.\d+)?|[a-z_]\w*|[=!<>]=|[=!]~|\[\w+\]|[{}(),/<>=])/giy

class Parser {
  readonly #tokens: string[] = []
  readonly #scrapes: Scrapes

  constructor(text: string, scrapes: Scrapes) {
    this.#scrapes = scrapes
    TOKEN.lastIndex = 0
    while (TOKEN.lastIndex < text.length) {
      const at = TOKEN.lastIndex
      const [, token] = TOKEN.exec(text) ?? []
      if (token === undefined) throw new Error(`not supported: ${text.slice(at)}`)
      this.#tokens.push(token)
    }
  }

  all(): Sample[] {
    const left = this.#quotient()
    const comparison = this.#next()
    const limit = Number(this.#next())
    if (this.#tokens.length > 0) throw new Error(`not supported: ${this.#tokens.join(' ')}`)
    const holds = COMPARISONS[comparison]
    if (!holds || Number.isNaN(limit)) throw new Error(`not supported: ${comparison} ${limit}`)
    return left.filter(({ value }) => holds(value, limit))
  }

  #quotient(): Sample[] {
    const left = this.#vector()
    if (this.#peek() !== '/') return left
    this.#next()
    const right = new Map(this.#vector().map(({ labels, value }) => [keyOf(labels), value]))
    return left.flatMap(({ labels, value }) => {
      const divisor = right.get(keyOf(labels))
      return divisor === undefined ? [] : [{ labels, value: value / divisor }]
    })
  }

  #vector(): Sample[] {
    const name = this.#next()
    if (name === 'sum' || name === 'max') return this.#aggregate(name)
    if (name === 'rate') return this.#inBrackets(() => this.#rate(this.#next()))
    if (name === 'histogram_quantile')
      return this.#inBrackets(() => {
        const quantile = Number(this.#next())
        this.#expect(',')
        return quantileOf(quantile, this.#vector())
      })
    return this.#select(name, this.#scrapes.now, this.#matchers())
  }

  #aggregate(name: 'sum' | 'max'): Sample[] {
    const labels: string[] = []
    if (this.#peek() === 'by') {
      this.#next()
      this.#expect('(')
      while (labels.length === 0 || this.#peek() === ',') {
        if (labels.length > 0) this.#next()
        labels.push(this.#next())
      }
      this.#expect(')')
    }
    const groups = Map.groupBy(
      this.#inBrackets(() => this.#vector()),
      (sample) => keyOf(only(sample.labels, labels)),
    )
    return [...groups.values()].map((group) => ({
      labels: only(group[0]?.labels ?? {}, labels),
      value:
        name === 'sum'
          ? group.reduce((sum, { value }) => sum + value, 0)
          : Math.max(...group.map(({ value }) => value)),
    }))
  }

  /** As in Prometheus, a series needs two samples. */
  #rate(name: string): Sample[] {
    const matchers = this.#matchers()
    if (!/^\[\w+\]$/.test(this.#next())) throw new Error('rate needs a range')
    const before = new Map(
      this.#select(name, this.#scrapes.before, matchers).map(({ labels, value }) => [keyOf(labels), value]),
    )
    return this.#select(name, this.#scrapes.now, matchers).flatMap(({ labels, value }) => {
      const first = before.get(keyOf(labels))
      return first === undefined ? [] : [{ labels, value: (value - first) / this.#scrapes.seconds }]
    })
  }

  #select(name: string, series: readonly Series[], matches: Matches): Sample[] {
    return series.filter((one) => one.name === name && matches(one.labels))
  }

  #matchers(): Matches {
    const all: Matches[] = []
    if (this.#peek() !== '{') return () => true
    this.#next()
    while (this.#peek() !== '}') {
      const [label, operator, quoted] = [this.#next(), this.#next(), this.#next()]
      const text = quoted.slice(1, -1)
      const pattern = new RegExp(`^(?:${text})$`)
      const isNegated = operator.startsWith('!')
      const matches = (value: string) => (operator.endsWith('~') ? pattern.test(value) : value === text)
      all.push((labels) => matches(labels[label] ?? '') !== isNegated)
      if (this.#peek() === ',') this.#next()
    }
    this.#next()
    return (labels) => all.every((matches) => matches(labels))
  }

  #inBrackets(inside: () => Sample[]): Sample[] {
    this.#expect('(')
    const samples = inside()
    this.#expect(')')
    return samples
  }

  #expect(token: string): void {
    const next = this.#next()
    if (next !== token) throw new Error(`${token} expected, not ${next}`)
  }

  #peek(): string | undefined {
    return this.#tokens[0]
  }

  #next(): string {
    return this.#tokens.shift() ?? ''
  }
}

type Matches = (labels: Record<string, string>) => boolean

const COMPARISONS: Record<string, (value: number, limit: number) => boolean> = {
  '>': (value, limit) => value > limit,
  '<': (value, limit) => value < limit,
  '==': (value, limit) => value === limit,
}

const keyOf = (labels: Record<string, string>): string => JSON.stringify(Object.entries(labels).sort())

const only = (labels: Record<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])))

/** Interpolates within the bucket of the quantile, as Prometheus does. */
function quantileOf(quantile: number, buckets: readonly Sample[]): Sample[] {
  const bound = ({ labels }: Sample): number =>
    labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])
  const groups = Map.groupBy(buckets, ({ labels: { le: _, ...others } }) => keyOf(others))
  return [...groups.values()].map((group) => {
    const sorted = group.toSorted((one, other) => bound(one) - bound(other))
    const { le: _, ...labels } = sorted[0]?.labels ?? {}
    const rank = quantile * (sorted.at(-1)?.value ?? 0)
    const at = sorted.findIndex(({ value }) => value >= rank)
    const [upper, lower] = [sorted[at], sorted[at - 1]]
    if (!upper || rank === 0) return { labels, value: Number.NaN }
    if (bound(upper) === Number.POSITIVE_INFINITY) return { labels, value: lower ? bound(lower) : Number.NaN }
    const [from, below] = lower ? [bound(lower), lower.value] : [0, 0]
    const share = (rank - below) / (upper.value - below)
    return { labels, value: from + (bound(upper) - from) * share }
  })
}
