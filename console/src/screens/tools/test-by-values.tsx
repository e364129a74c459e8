import type { Tool } from '@parley/client/schemas'
import { Play } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ProgressText } from '../../ui/progress-text.tsx'
import { Failure } from '../../ui/states.tsx'
import { ValueField } from '../../ui/value-field.tsx'
import { argumentsOf, demoPrompt, fieldsOf } from './arguments.ts'
import { languageOf } from './languages.ts'
import { TestResult } from './test-result.tsx'

const t = translator('tools')

export interface TestProps {
  tool: Tool
  configItems: { name: string; value: string }[]
  /** The fields for the configuration values. */
  children: ReactNode
}

/** Says what a test in progress does. Python takes a while to start. */
export const runningText = (tool: Tool): string =>
  t(languageOf(tool) === 'python' ? 'test.startingPython' : 'test.running')

/** Tests a tool by calling a function with values that the user enters. The built-in demo model makes the call. */
export function TestByValues({ tool, configItems, children }: TestProps) {
  const [name, setName] = useState<string>()
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [errors, setErrors] = useState<Record<string, string>>({})
  const test = useChange('POST /api/tools/test_tool')
  const called = tool.functions.find((one) => one.name === name) ?? tool.functions[0]
  if (!called) return null
  const fields = fieldsOf(called, tool.inputs)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = argumentsOf(fields, texts)
    setErrors(given.errors)
    if (Object.keys(given.errors).length > 0) return
    test.mutate({
      query: { tool_id: tool.id },
      body: {
        input_prompt: demoPrompt(called.name, given.values),
        config_items: configItems,
        provider: 'demo',
        model_name: 'parley-demo',
        api_key: '',
      },
    })
  }
  return (
    <form onSubmit={submit} aria-label={t('test.byValues')} className="flex flex-col gap-4 pt-2">
      {children}
      {tool.functions.length > 1 && (
        <SelectField
          label={t('test.function')}
          value={called.name}
          onChange={({ target }) => setName(target.value)}
        >
          {tool.functions.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </SelectField>
      )}
      {fields.length === 0 && (
        <p className="text-sm text-muted">{t('test.noParameters', { name: called.name })}</p>
      )}
      {fields.map((field) => (
        <ValueField
          key={field.name}
          descriptor={field}
          text={texts[field.name] ?? ''}
          onText={(text) => setTexts({ ...texts, [field.name]: text })}
          error={errors[field.name] ?? null}
        />
      ))}
      <Button type="submit" kind="primary" icon={Play} busy={test.isPending} className="self-start">
        {t('test.run')}
      </Button>
      {test.isPending && <ProgressText>{runningText(tool)}</ProgressText>}
      {test.error && <Failure error={test.error} />}
      {test.data && !test.isPending && <TestResult result={test.data} />}
    </form>
  )
}
