import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ChunkingFields, chunkingOf } from './chunking-fields.tsx'
import { EmbeddingField, LOCAL } from './models.tsx'

const t = translator('knowledge')

const START = { name: '', description: '', model: LOCAL, chunking: { max: '400', overlap: '50' } }

export function CreateKnowledgeBase({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { organization } = useHere()
  const navigate = useNavigate()
  const [asked, setAsked] = useState(START)
  const create = useChange('POST /api/kb/create', {
    outdates: ['GET /api/kb/list'],
    onDone: ({ id }) => {
      setAsked(START)
      void navigate({ to: '/knowledge/$kbId/documents', params: { kbId: id } })
    },
  })
  const submit = () => {
    const { name, description, model, chunking } = asked
    create.mutate({
      query: { org_id: organization.id },
      body: { name, description, embedding_model: model, sources: [], chunking: chunkingOf(chunking) },
    })
  }
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={t('create.title')}
      description={t('create.description')}
      action={t('create.title')}
      busy={create.isPending}
      error={create.error}
      onSubmit={submit}
    >
      <TextField
        label={t('fields.name')}
        required
        maxLength={200}
        value={asked.name}
        onChange={({ target }) => setAsked({ ...asked, name: target.value })}
      />
      <TextAreaField
        label={t('fields.description')}
        hint={t('fields.descriptionHint')}
        rows={2}
        maxLength={5000}
        value={asked.description}
        onChange={({ target }) => setAsked({ ...asked, description: target.value })}
      />
      <details>
        <summary className="w-fit text-sm font-medium text-muted">{t('create.advanced')}</summary>
        <div className="mt-4 flex flex-col gap-4">
          <EmbeddingField
            label={t('embedding.label')}
            hint={t('embedding.hint')}
            value={asked.model}
            onChange={(model) => setAsked({ ...asked, model })}
          />
          <ChunkingFields value={asked.chunking} onChange={(chunking) => setAsked({ ...asked, chunking })} />
        </div>
      </details>
    </FormDialog>
  )
}
