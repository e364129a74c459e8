import { TextAreaField, TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import type { AgentPart } from './agent-part.ts'
import { ModelField } from './model-field.tsx'

const PROMPT_CHARACTERS_MAX = 100_000
/** From here on it is said how much room is left. */
const PROMPT_CHARACTERS_TOLD = 80_000

/** The model, and what it is told. */
export function ModelSection({ agent, edit }: AgentPart) {
  const params = agent.params ?? {}
  const prompt = params.system_prompt ?? ''
  const set = (part: Partial<typeof params>) => edit({ params: withoutAbsent({ ...params, ...part }) })
  return (
    <Section title="Model and instructions">
      <ModelField
        modelId={agent.model_id}
        onChange={(model_id) => edit({ model_id })}
        withTools={agent.tools.length + agent.mcp_instance_ids.length > 0}
      />
      <TextAreaField
        label="Instructions"
        hint={
          prompt.length >= PROMPT_CHARACTERS_TOLD
            ? `${formatNumber(PROMPT_CHARACTERS_MAX - prompt.length)} characters left`
            : 'The system prompt: who it is, what it does and does not do, how it speaks'
        }
        rows={14}
        maxLength={PROMPT_CHARACTERS_MAX}
        className="min-h-40 leading-relaxed"
        value={prompt}
        onChange={({ target }) => set({ system_prompt: target.value || undefined })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Temperature"
          hint="0 keeps close to what is likely, 1 varies. Empty: the model’s own."
          type="number"
          min={0}
          max={1}
          step="any"
          value={params.temperature ?? ''}
          onChange={({ target }) => set({ temperature: numberOf(target) })}
        />
        <TextField
          label="Longest reply, in tokens"
          hint="A token is about three quarters of a word. Empty: the model’s own limit."
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

/** A parameter that is not set is left out, as the server shows it. */
const withoutAbsent = <Part extends object>(part: Part): Part =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as Part
