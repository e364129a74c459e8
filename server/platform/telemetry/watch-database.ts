import type { StatementWatch, WatchedStatement } from '#database/watched.ts'
import { NAMES, POSTGRESQL } from './names.ts'
import type { Attributes, Tracing } from './tracing.ts'

const TEXT_CHARACTERS_MAX = 500
/** Maximum number of cached statement descriptions. The server has a few hundred different statements. */
const DESCRIBED_MAX = 1_000

const UNSEEN: WatchedStatement = { within: (work) => work(), end() {} }

/**
 * Creates a span for each statement of a traced request or job. The recorded text contains no values, because values
 * are passed as parameters.
 */
export function traceStatements(tracing: Tracing): StatementWatch {
  const described = new Map<string, { summary: string; attributes: Attributes }>()
  const describe = (text: string) => {
    const summary = summaryOf(withoutLiterals(text))
    const attributes = { [NAMES.statement]: textInSpan(text), [NAMES.statementSummary]: summary }
    if (described.size < DESCRIBED_MAX) described.set(text, { summary, attributes })
    return { summary, attributes }
  }
  return {
    begin() {
      if (!tracing.isInside()) return UNSEEN
      const attributes = { [NAMES.databaseSystem]: POSTGRESQL }
      const span = tracing.begin({ name: POSTGRESQL, kind: 'client', attributes })
      return {
        within: (work) => span.within(work),
        end(text, error) {
          if (text !== undefined) {
            const { summary, attributes } = described.get(text) ?? describe(text)
            span.rename(summary)
            span.set(attributes)
          }
          span.end(error)
        },
      }
    },
  }
}

/** Returns a statement's text as recorded in its span. */
export const textInSpan = (text: string): string => withoutLiterals(text).slice(0, TEXT_CHARACTERS_MAX)

/** Replaces literals, which only the statements of libraries contain. */
const withoutLiterals = (text: string): string =>
  text
    .replace(/'(?:[^']|'')*(?:'|$)/g, '?')
    .replace(/\s+/g, ' ')
    .trim()

const WORD = /^\W*(\w+)/
/** Matches the first change. Ignores `for update` and `do update`, which are parts of other statements. */
const CHANGE = /\b(insert|delete|(?<!\b(?:for|do|key) )update)(?: into| from)? "?((?:\w+"?\."?)?\w+)/i
const SOURCE = /\b(?:from|join) "?((?:\w+"?\."?)?\w+)\b"?(?! ?\()/gi
const PART = /\b(\w+) as (?:materialized )?\(/gi

/**
 * Summarizes a statement by a verb and a table, such as `INSERT open_holds` or `SELECT chats`. The table is the first
 * one that the statement changes or, if it changes none, the first one that it reads.
 */
function summaryOf(text: string): string {
  const [, change, changed] = CHANGE.exec(text) ?? []
  if (change !== undefined) return `${change.toUpperCase()} ${unquoted(changed)}`
  const verb = WORD.exec(text)?.[1]?.toUpperCase() ?? POSTGRESQL
  const parts = new Set([...text.matchAll(PART)].map(([, name]) => name))
  const source = [...text.matchAll(SOURCE)].find(([, name]) => !parts.has(name))?.[1]
  return source === undefined ? verb : `${verb === 'WITH' ? 'SELECT' : verb} ${unquoted(source)}`
}

const unquoted = (name = ''): string => name.replaceAll('"', '')
