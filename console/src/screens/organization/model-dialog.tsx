import type { Body } from '@parley/client'
import type { LanguageModel } from '@parley/client/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import { replacing } from '../../api/replacing.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useConnections, useCreateConnection } from '../providers/use-connect.ts'
import { configOf, draftOf, type ModelDraft, nameOf } from './model-draft.ts'
import { ModelFields } from './model-fields.tsx'

const t = translator('models')

interface ModelDialogProps {
  /** The model to edit. Null to add a model. */
  model: LanguageModel | null
  onClose: () => void
}

export function ModelDialog({ model, onClose }: ModelDialogProps) {
  const connections = useConnections()
  const [draft, setDraft] = useState(() => draftOf(model, connections.data?.data[0]))
  const onDraft = (change: Partial<ModelDraft>) => setDraft((before) => ({ ...before, ...change }))
  const save = useSave(model, onDraft, onClose)
  return (
    <FormDialog
      wide
      open
      onClose={onClose}
      title={model === null ? t('form.new') : t('form.edit', { name: model.name })}
      action={t(model === null ? 'form.add' : 'form.save')}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(draft)}
    >
      <ModelFields model={model} draft={draft} onDraft={onDraft} connections={connections.data?.data ?? []} />
    </FormDialog>
  )
}

function useSave(
  model: LanguageModel | null,
  onDraft: (change: Partial<ModelDraft>) => void,
  onDone: () => void,
) {
  const { organization } = useHere()
  const client = useQueryClient()
  const notify = useNotify()
  const connect = useCreateConnection()

  /** Creates a connection if the draft has a new one. Later attempts to add the model use it. */
  const withConnection = async (draft: ModelDraft): Promise<ModelDraft> => {
    const { provider, connection_id, api_key: apiKey, base_url: baseUrl } = draft
    if (connection_id !== null || provider === 'demo' || provider === 'route') return draft
    const { id } = await connect({ provider, apiKey, baseUrl })
    onDraft({ connection_id: id })
    await outdate(client, 'GET /api/llm/connections/list')
    return { ...draft, connection_id: id }
  }
  const add = async (draft: ModelDraft): Promise<LanguageModel> => {
    const { provider, version } = draft
    const config = configOf(await withConnection(draft))
    return api.request('POST /api/llm/add', {
      query: { org_id: organization.id },
      body: { name: nameOf(draft), provider, version, config },
    })
  }
  const update = ({ id, config }: LanguageModel, draft: ModelDraft): Promise<LanguageModel> => {
    const { has_api_key: _, route, ...before } = config
    const change = replacing<Body<'PUT /api/llm/update'>['config']>(before, configOf(draft))
    return api.request('PUT /api/llm/update', {
      query: { model_id: id },
      body: { name: nameOf(draft), version: draft.version, ...(!route && { config: change }) },
    })
  }
  return useMutation({
    mutationFn: (draft: ModelDraft) => (model === null ? add(draft) : update(model, draft)),
    onSuccess({ name }) {
      notify(t(model === null ? 'form.added' : 'form.saved', { name }))
      onDone()
      return outdate(client, 'GET /api/llm/list', 'GET /api/llm/defaults')
    },
  })
}
