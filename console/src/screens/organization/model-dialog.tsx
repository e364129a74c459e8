import type { Body } from '@parley/client'
import type { LanguageModel } from '@parley/client/schemas'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { replacing } from '../../api/replacing.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { configOf, draftOf, type ModelDraft } from './model-draft.ts'
import { ModelFields } from './model-fields.tsx'

const t = translator('models')

interface ModelDialogProps {
  /** The model to edit. Null to add a model. */
  model: LanguageModel | null
  onClose: () => void
}

export function ModelDialog({ model, onClose }: ModelDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(model))
  const save = useSave(model, onClose)
  const submit = () => {
    save.send(draft)
  }
  return (
    <FormDialog
      wide
      open
      onClose={onClose}
      title={model === null ? t('form.new') : t('form.edit', { name: model.name })}
      action={t(model === null ? 'form.add' : 'form.save')}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      <ModelFields model={model} draft={draft} onDraft={(change) => setDraft({ ...draft, ...change })} />
    </FormDialog>
  )
}

function useSave(model: LanguageModel | null, onDone: () => void) {
  const { organization } = useHere()
  const notify = useNotify()
  const done = ({ name }: LanguageModel) => {
    notify(t(model === null ? 'form.added' : 'form.saved', { name }))
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
      else {
        const { has_api_key: _, ...before } = model.config
        const change = replacing<Body<'PUT /api/llm/update'>['config']>(before, config)
        update.mutate({ query: { model_id: model.id }, body: { name, version, config: change } })
      }
    },
  }
}
