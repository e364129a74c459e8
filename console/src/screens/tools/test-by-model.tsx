import { Play } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Body, useChange } from '../../api/queries.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { formatDuration } from '../../ui/format.ts'
import { ProgressText } from '../../ui/progress-text.tsx'
import { Failure } from '../../ui/states.tsx'
import { runningText, type TestProps } from './test-by-values.tsx'
import { TestResult } from './test-result.tsx'

const t = translator('tools')

type Provider = Body<'POST /api/tools/test_tool'>['provider']

const providerNames = (): Record<Provider, string> => ({
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  deepseek: 'DeepSeek',
  'openai-compatible': t('test.providers.compatible'),
  ollama: 'Ollama',
  demo: t('test.providers.demo'),
})
/** Self-hosted providers, which have no default URL. */
const WITH_BASE_URL: readonly Provider[] = ['openai-compatible', 'ollama']

/**
 * Tests a tool through a language model, which decides whether and how to call the tool. The server does not store
 * the API key.
 */
export default function TestByModel({ tool, configItems, children }: TestProps) {
  const [prompt, setPrompt] = useState('')
  const [model, setModel] = useState({
    provider: 'openai' as Provider,
    model_name: '',
    api_key: '',
    base_url: '',
  })
  const test = useChange('POST /api/tools/test_tool')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { base_url, ...rest } = model
    const body = {
      ...rest,
      input_prompt: prompt,
      config_items: configItems,
      ...(base_url !== '' && { base_url }),
    }
    test.mutate({ query: { tool_id: tool.id }, body })
  }
  return (
    <form onSubmit={submit} aria-label={t('test.byModel')} className="flex flex-col gap-4 pt-2">
      {children}
      <TextAreaField
        label={t('test.prompt')}
        rows={3}
        required
        maxLength={100_000}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
      />
      <ModelFields model={model} onModel={(part) => setModel({ ...model, ...part })} />
      <Button type="submit" kind="primary" icon={Play} busy={test.isPending} className="self-start">
        {t('test.run')}
      </Button>
      {test.isPending && <ProgressText>{runningText(tool)}</ProgressText>}
      {test.error && <Failure error={test.error} />}
      {test.data && !test.isPending && (
        <>
          <TestResult result={test.data} />
          <div className="flex flex-col gap-1">
            <h3 className="text-sm font-medium">{t('test.reply')}</h3>
            <Markdown text={test.data.result} streaming={false} />
          </div>
          <p className="text-sm text-muted">
            {t('test.usage', {
              time: formatDuration(test.data.execution_time * 1000),
              input: test.data.token_usage.input_tokens,
              output: test.data.token_usage.output_tokens,
            })}
          </p>
        </>
      )}
    </form>
  )
}

interface ModelFieldsProps {
  model: { provider: Provider; model_name: string; api_key: string; base_url: string }
  onModel: (part: Partial<ModelFieldsProps['model']>) => void
}

const ModelFields = ({ model, onModel }: ModelFieldsProps) => (
  <>
    <div className="grid grid-cols-2 gap-3">
      <SelectField
        label={t('test.provider')}
        value={model.provider}
        onChange={({ target }) => onModel({ provider: target.value as Provider })}
      >
        {Object.entries(providerNames()).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t('test.model')}
        required
        maxLength={200}
        spellCheck={false}
        value={model.model_name}
        onChange={({ target }) => onModel({ model_name: target.value })}
      />
    </div>
    {model.provider !== 'demo' && (
      <TextField
        label={t('test.apiKey')}
        hint={t('test.apiKeyHint')}
        type="password"
        autoComplete="off"
        maxLength={2_000}
        value={model.api_key}
        onChange={({ target }) => onModel({ api_key: target.value })}
      />
    )}
    {WITH_BASE_URL.includes(model.provider) && (
      <TextField
        label={t('test.baseUrl')}
        type="url"
        placeholder="https://models.example.com/v1"
        maxLength={2_000}
        value={model.base_url}
        onChange={({ target }) => onModel({ base_url: target.value })}
      />
    )}
  </>
)
