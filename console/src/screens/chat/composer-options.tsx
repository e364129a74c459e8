import { SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { CheckField, SwitchField, TextField } from '../../ui/field.tsx'
import { InstructionPicker, KnowledgePicker } from './composer-pickers.tsx'
import { useActions, useConversationState } from './conversation-context.ts'
import { InstructionsDialog } from './instructions-dialog.tsx'

const TEMPERATURE = 0.7
const TOKENS_MAX = 10_000_000

/** How the reply is written: what is seldom changed. */
export function MoreOptions() {
  const [isManaging, setManaging] = useState(false)
  const { choices } = useConversationState()
  const isChanged = choices.temperature !== null || choices.maxTokens !== null || choices.thinking
  return (
    <>
      <Popover.Root>
        <Popover.Trigger asChild>
          <IconButton
            icon={SlidersHorizontal}
            label="More options"
            className={isChanged ? 'text-accent' : ''}
          />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            aria-label="More options"
            side="top"
            align="start"
            sideOffset={6}
            collisionPadding={8}
            className="appear z-40 flex max-h-[var(--radix-popover-content-available-height)] w-80 max-w-[calc(100vw-1rem)] flex-col gap-4 overflow-y-auto rounded-xl border border-line bg-raised p-4 shadow-lg"
          >
            <div className="flex flex-col items-start gap-2 empty:hidden sm:hidden">
              <KnowledgePicker />
              <InstructionPicker />
            </div>
            <WritingFields />
            <Button size="small" onClick={() => setManaging(true)} className="self-start">
              Manage instructions
            </Button>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
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
        label="Think first"
        hint="Models that can reason do so before they answer."
        checked={thinking}
        onChange={(checked) => change({ thinking: checked })}
      />
      <div className="flex flex-col gap-2">
        <CheckField
          label="Set the temperature"
          checked={temperature !== null}
          onChange={({ target }) => change({ temperature: target.checked ? TEMPERATURE : null })}
        />
        {temperature !== null && (
          <label className="flex items-center gap-3 text-sm">
            <span className="sr-only">Temperature</span>
            <span className="text-muted">strict</span>
            <input
              type="range"
              min={0}
              max={1}
              step={0.1}
              value={temperature}
              onChange={({ target }) => change({ temperature: Number(target.value) })}
              className="min-w-0 grow accent-accent"
            />
            <span className="text-muted">free</span>
            <output className="w-7 text-right tabular-nums">{temperature}</output>
          </label>
        )}
      </div>
      <TextField
        label="Longest reply"
        hint="In tokens. Empty: as long as the model likes."
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
