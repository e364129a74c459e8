import { describe, expect, test } from 'vitest'
import { playEvents } from '#tests/support/provider/scripted.ts'
import { DONE, delta, finish, STOP, startScriptedModels } from '#tests/support/provider/scripted-models.ts'
import { splitThoughts } from './think-tags.ts'

/** Tests replies whose servers leave the thoughts of the model in the text. */

const { ask, server } = await startScriptedModels()
const play = (...pieces: string[]): void => {
  server.answer = playEvents(...pieces.map((content) => delta({ content })), STOP, DONE)
}

describe('thoughts in tags become reasoning', () => {
  test.each([
    [['<think>Hm</think>Hello']],
    [['<think>\nHm\n</think>\n\nHello']],
    [['<thi', 'nk>\nH', 'm\n</th', 'ink>\n\nHello']],
    [[...'<think>\nHm\n</think>\n\nHello']],
    [['\n', '<think>', 'Hm', '</think>', '\n\n', 'Hel', 'lo']],
    [['<THINK>Hm</THINK>Hello']],
    [['<thinking>Hm</thinking>Hello']],
    [['<thought>Hm</thought>\nHello']],
    [['<think>H', 'm</think><think></think>Hel', 'lo']],
  ])('%j', async (pieces) => {
    play(...pieces)
    const { text, reasoning } = await ask()
    expect([text, reasoning.trim()]).toEqual(['Hello', 'Hm'])
  })

  test.each([
    [['<think>', 'a < b </', 'thin', 'g> c</think>d'], 'd', 'a < b </thing> c'],
    [['<think>\n\n</think>\n\n', 'Hello'], 'Hello', ''],
  ])('%j is separated exactly', async (pieces, text, reasoning) => {
    play(...pieces)
    expect(await ask()).toMatchObject({ text, reasoning })
  })

  test.each([
    'Models write <think>Hm</think> first.',
    '<thin ice>',
    '<',
    '  <thi',
    '`<think>` opens a block, `</think>` closes it.',
    'Hello <think>',
    '  Hello  ',
    '[THINK is a mark of Mistral.',
    '[1] a source',
    '<seed>',
    '<|channel of a river',
    'The mark [THINK]a[/THINK] of Mistral',
    'analysis',
    'final<',
    'Assistants help.',
    'In gpt-oss <|channel|>final<|message|> begins the answer.',
  ])('a reply that mentions a tag stays as it is: %s', async (text) => {
    for (const pieces of [[text], [...text]]) {
      play(...pieces)
      expect(await ask()).toMatchObject({ text, reasoning: '' })
    }
  })

  test('of an open block, too', async () => {
    server.answer = playEvents(delta({ content: '<think>Hm ' }), finish('length'), DONE)
    expect(await ask()).toMatchObject({ text: '', reasoning: 'Hm', finishReason: 'length' })
  })

  test('of OpenAI they stay text', async () => {
    play('<think>Hm</think>Hello')
    expect((await ask('openai')).text).toBe('<think>Hm</think>Hello')
  })
})

/** Each pair of marks, and its first piece if the pieces of a mark arrive one by one. */
const MARKS: [string, string][] = [
  ...['think', 'thinking', 'thought', 'thoughts', 'reason', 'reasoning', 'reflection', 'scratchpad'].map(
    (name): [string, string] => [`<${name}>`, `</${name}>`],
  ),
  ['<REASONING_SCRATCHPAD>', '</REASONING_SCRATCHPAD>'],
  ['<seed:think>', '</seed:think>'],
  ['<mm:think>', '</mm:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|channel>thought\n', '<channel|>'],
  ['<|think|>', '<|/think|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|inner_prefix|>', '<|inner_suffix|>'],
]

describe.each(MARKS)('thoughts between %s and %s', (open, close) => {
  const whole = `${open}\nİ think < [ ◁ b\n${close}\n\nHello`
  test('become reasoning, wherever the reply is split', async () => {
    const pieces = [[whole], [...whole], ...[...whole].map((_, at) => [whole.slice(0, at), whole.slice(at)])]
    const step = Math.ceil(pieces.length / 20)
    for (const some of pieces.filter((_, at) => at % step === 0 || at < 2)) {
      play(...some)
      expect(await ask()).toMatchObject({ text: 'Hello', reasoning: 'İ think < [ ◁ b' })
    }
  })

  test('are separated if only the closing mark arrives', () => {
    expect(splitThoughts(`Hm.\n${close}\n\nHello`)).toEqual({ reasoning: 'Hm.', content: 'Hello' })
    expect(splitThoughts(`The mark ${close} ends thoughts.`)).toBeUndefined()
  })

  test('may end twice, or without a beginning', async () => {
    for (const content of [`${open}Hm${close}${close}\nHello`, `${open}H${close}\n${open}m${close}Hello`]) {
      play(content)
      expect((await ask()).text).toBe('Hello')
      play(...content)
      expect((await ask()).text).toBe('Hello')
    }
    play(...`${close}\n\nHello`)
    expect(await ask()).toMatchObject({ text: 'Hello', reasoning: '' })
  })

  test('may be cut off', async () => {
    server.answer = playEvents(delta({ content: `${open}Hm` }), finish('length'), DONE)
    expect(await ask()).toMatchObject({ text: '', reasoning: 'Hm', finishReason: 'length' })
  })
})

test.each([
  '<|begin_of_thought|>Hm<|end_of_thought|>\n\n<|begin_of_solution|>\nHello<|end_of_solution|>',
  '<|START_THINKING|>Hm<|END_THINKING|><|START_RESPONSE|>Hello<|END_RESPONSE|>\n',
])('the marks of the answer after thoughts are left out: %s', async (whole) => {
  for (const pieces of [[whole], [...whole]]) {
    play(...pieces)
    expect(await ask()).toMatchObject({ text: 'Hello', reasoning: 'Hm' })
  }
})

const ANALYSIS = '<|channel|>analysis<|message|>Hm'
const FINAL = '<|start|>assistant<|channel|>final<|message|>Hello'

describe('the channels of gpt-oss', () => {
  test.each([
    `${ANALYSIS}<|end|>${FINAL}<|return|>`,
    `${ANALYSIS}<|end|>${FINAL}`,
    `<|start|>assistant${ANALYSIS}<|end|>\n${FINAL}<|end|>`,
    `<|start|>assistant ${ANALYSIS} <|end|>${FINAL}`,
    `${ANALYSIS}<|end|>Hello`,
    `${ANALYSIS}<|end|>\n\nHello`,
    `${ANALYSIS}<|channel|>final<|message|>Hello`,
    `${ANALYSIS}<|end|>assistant<|channel|>final<|message|>Hello`,
    `analysis<|message|>Hm<|end|>${FINAL}`,
    `assistant${ANALYSIS}<|end|>${FINAL}`,
    `<|message|><|end|><|start|>assistant${ANALYSIS}<|end|>${FINAL}`,
    `${ANALYSIS}<|end|><|start|>assistant<|channel|>final <|constrain|>JSON<|message|>Hello`,
    `${ANALYSIS}<|end|><|start|>assistant<|channel|>commentary<|message|>Hello<|end|>`,
    `<|channel|>commentary?commentary?<|end|><|start|>assistant${ANALYSIS}<|end|>${FINAL}`,
    `${ANALYSIS}<|end|>${FINAL}<|end|><|start|>user<|message|>And now?`,
    `${ANALYSIS}<|end|><|start|>assistant<|channel|>final Hello`,
  ])('are separated, wherever the reply is split: %s', async (whole) => {
    for (const pieces of [[whole], [...whole], whole.split(/(?=<)/), whole.split(/(?<=\|)/)]) {
      play(...pieces)
      expect(await ask()).toMatchObject({ text: 'Hello', reasoning: 'Hm', toolCalls: [] })
    }
  })

  test.each([
    [FINAL, 'Hello', ''],
    ['<|channel|>final<|message|>{"issues":[]}<|return|>', '{"issues":[]}', ''],
    ['<|channel|>final<|message|>a <| b < c <|x|>\n\nd\n', 'a <| b < c <|x|>\n\nd', ''],
    [`${ANALYSIS}<|end|><|start|>assistant${ANALYSIS}<|end|>${FINAL}`, 'Hello', 'Hm\n\nHm'],
    [`<|channel|>commentary<|message|>Wait.<|end|>${FINAL}`, 'Wait.\n\nHello', ''],
  ])('%s', async (whole, text, reasoning) => {
    for (const pieces of [[whole], [...whole]]) {
      play(...pieces)
      expect(await ask()).toMatchObject({ text, reasoning })
    }
  })

  test.each([
    '<|start|>assistant<|channel|>commentary to=functions.echo <|constrain|>json<|message|>{"a": 1}<|call|>',
    '<|start|>assistant to=functions.echo<|channel|>commentary <|constrain|>json<|message|>{"a": 1}',
    '<|start|>assistant<|channel|>analysis to=functions.echo code<|message|>{"a": 1}<|call|>',
  ])('may call a tool: %s', async (call) => {
    const whole = `${ANALYSIS}<|end|>${call}`
    for (const pieces of [[whole], [...whole]]) {
      play(...pieces)
      expect(await ask()).toMatchObject({
        text: '',
        reasoning: 'Hm',
        finishReason: 'tool_calls',
        toolCalls: [{ name: 'echo', input: { a: 1 } }],
      })
    }
  })

  test.each([
    `Hm.<|end|>${FINAL}<|return|>`,
    `Hm.${FINAL}`,
    `Hm.\n<|channel|>final<|message|>Hello`,
    'analysisHm.assistantfinalHello',
    'Hm.assistantfinalHello',
    'analysis Hm.\n\nassistantfinal\n\nHello',
  ])('are separated after the reply if the first token is missing: %j', (reply) => {
    expect(splitThoughts(reply)).toEqual({ reasoning: 'Hm.', content: 'Hello' })
  })

  test.each([
    'The server wrote `assistantfinal` between them.',
    'Is it assistantfinal?',
    `A reply looks like this:\n\`\`\`\nHm.${FINAL}\n\`\`\``,
  ])('are only mentioned: %j', (reply) => {
    expect(splitThoughts(reply)).toBeUndefined()
  })
})

test.each(['Here is', "Here's", 'Here’s'])(
  'thoughts below a heading of Granite are separated: %s',
  (here) => {
    const reply = `${here} my thought process:\n\nHm.\n\n${here} my response:\n\nHello`
    expect(splitThoughts(reply)).toEqual({ reasoning: 'Hm.', content: 'Hello' })
    expect(splitThoughts(`Hello. ${reply}`)).toBeUndefined()
  },
)

test('the search for marks takes linear work', () => {
  for (const piece of [
    ' ',
    'a\n',
    '</',
    '<|end|>',
    '[/',
    'assistantfinal ',
    '<|channel|>final',
    'analysis',
    ' my response:',
  ])
    expect(splitThoughts(piece.repeat(200_000))).toBeUndefined()
})
