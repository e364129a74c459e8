import { type FormEvent, useId, useState } from 'react'
import type { LanguageModel } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { configOf, draftOf, type ModelDraft } from './model-draft.ts'
import { ModelFields } from './model-fields.tsx'

interface ModelDialogProps {
  /** Null: one to be added. */
  model: LanguageModel | null
  onClose: () => void
}

export function ModelDialog({ model, onClose }: ModelDialogProps) {
  const form = useId()
  const [draft, setDraft] = useState(() => draftOf(model))
  const save = useSave(model, onClose)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.send(draft)
  }
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={model === null ? 'Add a model' : `Edit ${model.name}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} kind="primary" busy={save.isPending}>
            {model === null ? 'Add model' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <ModelFields model={model} draft={draft} onDraft={(change) => setDraft({ ...draft, ...change })} />
        {save.error && <Failure error={save.error} />}
      </form>
    </Dialog>
  )
}

function useSave(model: LanguageModel | null, onDone: () => void) {
  const { organization } = useHere()
  const notify = useNotify()
  const done = ({ name }: LanguageModel) => {
    notify(model === null ? `${name} is added. Test it to see whether it answers.` : `${name} is saved`)
    onDone()
  }
  const outdates = ['GET /api/llm/list'] as const
  const add = useChange('POST /api/llm/add', { outdates, onDone: done })
  const update = useChange('PUT /api/llm/update', { outdates, onDone: done })
  return {
    isPending: add.isPending || update.isPending,
    error: add.error ?? update.error,
    send: (draft: ModelDraft) => {
      const { name, provider, version } = draft
      const config = configOf(draft)
      if (model === null)
        add.mutate({ query: { org_id: organization.id }, body: { name, provider, version, config } })
      else update.mutate({ query: { model_id: model.id }, body: { name, version, config } })
    },
  }
}
