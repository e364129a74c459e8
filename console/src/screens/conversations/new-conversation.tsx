import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import type { Choice } from '../../ui/choices.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Picker } from '../../ui/picker.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useModelList } from './use-models.ts'

const t = translator('conversations')

export function NewConversation({ onClose }: { onClose: () => void }) {
  const create = useCreate()
  const list = useModelList()
  const [title, setTitle] = useState('')
  const [models, setModels] = useState<Choice[]>([])
  const submit = () => {
    create.mutate({ title: title.trim(), models: models.map(({ id }) => id) })
  }
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('create.title')}
      action={t('create.action')}
      busy={create.isPending}
      disabled={models.length === 0}
      error={create.error}
      onSubmit={submit}
    >
      <TextField
        label={t('create.name')}
        required
        maxLength={500}
        pattern=".*\S.*"
        value={title}
        onChange={({ target }) => setTitle(target.value)}
      />
      <div className="flex flex-col items-start gap-1.5">
        <p className="text-sm font-medium">{t('create.models')}</p>
        <Picker label={t('create.models')} several lists={[list]} chosen={models} onChange={setModels}>
          {models.length === 0 ? t('create.choose') : undefined}
        </Picker>
        <p className="text-sm text-muted">{t('create.hint')}</p>
      </div>
    </FormDialog>
  )
}

/**
 * Creates a conversation and adds models to it. If a model cannot be added, shows the error; the user can add it
 * later.
 */
function useCreate() {
  const { organization } = useHere()
  const client = useQueryClient()
  const navigate = useNavigate()
  const notify = useNotify()
  const query = { org_id: organization.id }
  return useMutation({
    mutationFn: async ({ title, models }: { title: string; models: string[] }) => {
      const { id } = await api.request('POST /api/conversation/create', { query, body: { title } })
      for (const model_id of models)
        await api
          .request('POST /api/conversation/create_session', {
            query,
            body: { conversation_id: id, model_id },
          })
          .catch((error: Error) => notify(error))
      return id
    },
    onSuccess: (id) => {
      void outdate(client, 'GET /api/conversation/list')
      void navigate({ to: '/conversations/$conversationId', params: { conversationId: id } })
    },
  })
}
