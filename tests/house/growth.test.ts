import { describe, expect, test } from 'vitest'
import { findTerms, parseQuery } from '#parts/chat/search-query.ts'
import { loadTokenCounter } from '#platform/models/count-tokens.ts'
import {
  PASSAGES_PREFACE,
  readPassages,
  readToolOutput,
  withoutAttachments,
  withoutTags,
} from '#platform/models/prompt-elements.ts'
import { maskOf } from '#platform/secrets/mask-secrets.ts'

/*
 * Functions that read text of tenants, providers or websites on the event loop. Their time may not grow faster than the
 * text, because one request would stop all others. Each has the inputs for which such code is slowest.
 */

/** A doubled input may take this many times as long. Quadratic time is 4 times as long. */
const GROWTH_MAX = 2.5
/** The least ratio of several counts, because a collection of garbage may fall into a measurement. */
const ATTEMPTS = 8
/** Measured from this time on, because shorter times are noise. If the longest input takes less, it is fast enough. */
const MEASURED_MS = 40
const CHARACTERS_MAX = 1_000_000

interface Row {
  what: string
  run: (text: string) => unknown
  /** Strings that are repeated, with a start that is not. */
  inputs: [start: string, unit: string][]
}

const count = await loadTokenCounter()
const secrets = [
  'aaaaaaaaab',
  'aaaa',
  'ab'.repeat(100),
  ...Array.from({ length: 50 }, (_, index) => `secret-${index}`),
]
const mask = maskOf(secrets)
const query = parseQuery(`${'a '.repeat(60)}"b a a a a a a a a a a"`)

const ROWS: Row[] = [
  {
    what: 'masking secrets',
    run: mask.text,
    inputs: [
      ['', 'a'],
      ['', 'ab'],
      ['', 'secret-'],
      ['', 'c2VjcmV0LT'],
    ],
  },
  {
    what: 'masking as many secrets as the text has words',
    run: (text) => {
      const words = text.split(' ').map((word, index) => `${word}${index}`)
      return maskOf(words).text(words.join(' '))
    },
    inputs: [
      ['', 'secret '],
      ['', 'aaaa '],
    ],
  },
  {
    what: 'counting tokens',
    run: count,
    inputs: ['/\r\n', '<|/\r\n', '\r\n/', 'A', 'aB', '\n ', '.', '漢', 'e\u0301', 'ʰ', '1', "'s", '😀'].map(
      (unit): [string, string] => ['', unit],
    ),
  },
  {
    what: 'reading passages',
    run: readPassages,
    inputs: [
      '<passage number="1" document="a">\n',
      '<passage number="1" document="a" headings="',
      '<passage number="1',
      '\n</passage',
    ].map((unit): [string, string] => [`\n\n${PASSAGES_PREFACE}`, unit]),
  },
  {
    what: 'removing attachments',
    run: withoutAttachments,
    inputs: [
      '<attachment name=',
      '<attachment name=\n</attachment',
      '<mcp_server>\n',
      '<next_page>\n.\n',
    ].map((unit): [string, string] => ['', unit]),
  },
  {
    what: 'escaping tags',
    run: withoutTags,
    inputs: ['<', '< ', '<\u200b/ ', '< / ', '</'].flatMap((unit): [string, string][] => [
      ['', unit],
      [unit, ' '],
    ]),
  },
  {
    what: 'reading the output of a tool',
    run: readToolOutput,
    inputs: [
      ['<tool_output>\n', '\n</tool_output>'],
      ['<tool_output>\n', '\n</tool_output> '],
    ],
  },
  {
    what: 'finding searched words',
    run: (text) => [...findTerms(text, query)].length,
    inputs: [
      ['', 'a '],
      ['', 'b a a a a a a a a a c '],
      ['', 'c '],
    ],
  },
]

describe.each(ROWS)('$what takes time that grows like the text', ({ run, inputs }) => {
  test.each(inputs)('%j and repeated %j', (start, unit) => {
    let made = 0
    // No text is measured twice, because some functions remember what they have read.
    const textOf = (length: number) => start + unit.repeat(Math.ceil(length / unit.length) + ++made)
    let characters = 2_000
    while (timeOf(run, textOf(characters)) < MEASURED_MS) {
      if (characters >= CHARACTERS_MAX) return
      characters *= 2
    }
    let growth = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < ATTEMPTS && growth > GROWTH_MAX; attempt += 1) {
      const once = timeOf(run, textOf(characters))
      growth = Math.min(growth, timeOf(run, textOf(characters * 2)) / Math.max(once, 1))
    }
    expect(growth).toBeLessThanOrEqual(GROWTH_MAX)
  })
})

/** Returns the processor time of a call in milliseconds, which does not depend on other processes. */
function timeOf(run: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage()
  run(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
