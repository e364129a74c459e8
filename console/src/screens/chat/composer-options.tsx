import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CheckField, SwitchField, TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Popover } from '../../ui/popover.tsx'
import { InstructionPicker, KnowledgePicker } from './composer-pickers.tsx'
import { useActions, useConversationState } from './conversation-context.ts'
import { InstructionsDialog } from './instructions-dialog.tsx'

const t = translator('chat')

const TEMPERATURE = 0.7
const TOKENS_MAX = 10_000_000

export function MoreOptions() {
  const [isManaging, setManaging] = useState(false)
  const { choices } = useConversationState()
  const isChanged = choices.temperature !== null || choices.maxTokens !== null || choices.thinking
  return (
    <>
      <Popover
        label={t('options.label')}
        side="top"
        className="z-40 flex max-h-[var(--radix-popover-content-available-height)] w-80 max-w-[calc(100vw-1rem)] flex-col gap-4 overflow-y-auto p-4"
        trigger={
          <IconButton
            icon={SlidersHorizontal}
            label={t('options.label')}
            className={isChanged ? 'text-accent' : ''}
          />
        }
      >
        {() => (
          <>
            <div className="flex flex-col items-start gap-2 empty:hidden sm:hidden">
              <KnowledgePicker />
              <InstructionPicker />
            </div>
            <WritingFields />
            <Button size="small" onClick={() => setManaging(true)} className="self-start">
              {t('options.manage')}
            </Button>
          </>
        )}
      </Popover>
      <InstructionsDialog open={isManaging} onClose={() => setManaging(false)} />
    </>
  )
}

function WritingFields() {
  const { change } = useActions()
  const { choices } = useConversationState()
  const { thinking, temperature, maxTokens } = choices
  return (
    <>
      <SwitchField
        label={t('options.thinking')}
        hint={t('options.thinkingHint')}
        checked={thinking}
        onChange={(checked) => change({ thinking: checked })}
      />
      <div className="flex flex-col gap-2">
        <CheckField
          label={t('options.setTemperature')}
          checked={temperature !== null}
          onChange={({ target }) => change({ temperature: target.checked ? TEMPERATURE : null })}
        />
        {temperature !== null && (
          <label className="flex items-center gap-3 text-sm">
            <span className="sr-only">{t('options.temperature')}</span>
            <span className="text-muted">{t('options.precise')}</span>
            <input
              type="range"
              min={0}
              max={1}
              step={0.1}
              value={temperature}
              onChange={({ target }) => change({ temperature: Number(target.value) })}
              className="min-w-0 grow accent-accent"
            />
            <span className="text-muted">{t('options.creative')}</span>
            <output className="w-7 text-right tabular-nums">{formatNumber(temperature)}</output>
          </label>
        )}
      </div>
      <TextField
        label={t('options.maxTokens')}
        hint={t('options.maxTokensHint')}
        type="number"
        min={1}
        max={TOKENS_MAX}
        value={maxTokens ?? ''}
        onChange={({ target }) => {
          const tokens = Math.floor(Number(target.value))
          change({ maxTokens: tokens >= 1 && tokens <= TOKENS_MAX ? tokens : null })
        }}
      />
    </>
  )
}
