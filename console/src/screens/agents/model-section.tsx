import { translator } from '../../messages/index.ts'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import type { AgentPart } from './agent-part.ts'
import { ModelField } from './model-field.tsx'

const t = translator('agents')

const PROMPT_CHARACTERS_MAX = 100_000
/** The field shows the remaining characters if the prompt is at least this long. */
const PROMPT_COUNTER_FROM = 80_000

export function ModelSection({ agent, edit }: AgentPart) {
  const params = agent.params ?? {}
  const prompt = params.system_prompt ?? ''
  const set = (part: Partial<typeof params>) => edit({ params: withoutAbsent({ ...params, ...part }) })
  return (
    <Section title={t('model.title')}>
      <ModelField
        modelId={agent.model_id}
        onChange={(model_id) => edit({ model_id })}
        withTools={agent.tools.length + agent.mcp_instance_ids.length > 0}
      />
      <TextAreaField
        label={t('model.instructions')}
        hint={
          prompt.length >= PROMPT_COUNTER_FROM
            ? t('model.charactersLeft', { count: PROMPT_CHARACTERS_MAX - prompt.length })
            : t('model.instructionsHint')
        }
        rows={14}
        maxLength={PROMPT_CHARACTERS_MAX}
        className="min-h-40 leading-relaxed"
        value={prompt}
        onChange={({ target }) => set({ system_prompt: target.value || undefined })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('model.temperature')}
          hint={t('model.temperatureHint')}
          type="number"
          min={0}
          max={1}
          step="any"
          value={params.temperature ?? ''}
          onChange={({ target }) => set({ temperature: numberOf(target) })}
        />
        <TextField
          label={t('model.maxTokens')}
          hint={t('model.maxTokensHint')}
          type="number"
          min={1}
          max={10_000_000}
          value={params.max_tokens ?? ''}
          onChange={({ target }) => set({ max_tokens: numberOf(target) })}
        />
      </div>
    </Section>
  )
}

const numberOf = ({ valueAsNumber }: HTMLInputElement): number | undefined =>
  Number.isNaN(valueAsNumber) ? undefined : valueAsNumber

/** Drops undefined parameters, so that the result can be compared with the server's response, which omits them. */
const withoutAbsent = <Part extends object>(part: Part): Part =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as Part
