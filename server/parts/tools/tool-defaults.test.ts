import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { descriptor, exampleOf } from '#tests/support/random-descriptors.ts'
import { openTestSandbox } from '#tests/support/sandbox.ts'
import { checkConfiguration, checkInputs, checkSettings } from './check-tool.ts'
import { inspectTool } from './inspect-tool.ts'
import { defaultOf } from './parameter-values.ts'
import { runnableTools } from './run-tool.ts'
import type { ToolRow } from './schemas.ts'
import { configNow, NO_CONFIG } from './tool-config.ts'

const { sandbox, close } = openTestSandbox()
afterAll(close)

const RUNS = 15
const net = { checkUrl: (address: string) => new URL(address) }
const descriptors = fc.uniqueArray(descriptor, { selector: ({ name }) => name, maxLength: 6 })

test('every valid tool runs with its defaults and sees only the declared values', async () => {
  await fc.assert(
    fc.asyncProperty(descriptors, descriptors, async (inputDescriptors, configurationDescriptors) => {
      const inputs = checkInputs(inputDescriptors)
      const configuration = checkConfiguration(
        configurationDescriptors.map((one) => ({ ...one, required: false, secret: false })),
      )
      const settings = checkSettings(net, {
        function_info: {
          name: 'main',
          code: 'export function main(given) { return [given, { ...config }] }',
        },
        deployment: { framework: 'javascript', toolkit_class: false, standalone_function: true },
      })
      const inspected = await inspectTool(sandbox, 'one', { description: '', inputs, settings })
      // Tools are stored as JSON before they run.
      const row = JSON.parse(JSON.stringify({ inputs, configuration, ...inspected })) as ToolRow
      const [tool] = runnableTools(sandbox, row, configNow(row.configuration, NO_CONFIG), 'one')
      const demanded = inputs.filter((input) => input.required && input.default === null)
      const given = Object.fromEntries(demanded.map(({ name, type }) => [name, exampleOf(type)]))
      const outcome = await tool?.run(given, new AbortController().signal)
      const defaults = (of: typeof inputs) =>
        of.flatMap((one) => (defaultOf(one) === undefined ? [] : [[one.name, defaultOf(one)]]))
      const expected = [Object.fromEntries(defaults(inputs)), Object.fromEntries(defaults(configuration))]
      // Numbers of an output may keep the text they had in JSON.
      expect(JSON.parse(JSON.stringify(outcome))).toEqual({
        output: JSON.parse(JSON.stringify([{ ...given, ...expected[0] }, expected[1]])),
        successful: true,
        error: null,
      })
    }),
    { numRuns: RUNS },
  )
})
