import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { ChunkingFields, chunkingOf } from './chunking-fields.tsx'
import { EmbeddingField, LOCAL } from './models.tsx'

const START = { name: '', description: '', model: LOCAL, chunking: { max: '400', overlap: '50' } }

/** Asks for a name and little more, and leads to where documents are added. */
export function CreateKnowledgeBase({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { organization } = useHere()
  const navigate = useNavigate()
  const form = useId()
  const [asked, setAsked] = useState(START)
  const create = useChange('POST /api/kb/create', {
    outdates: ['GET /api/kb/list'],
    onDone: ({ id }) => {
      setAsked(START)
      void navigate({ to: '/knowledge/$kbId/documents', params: { kbId: id } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, description, model, chunking } = asked
    create.mutate({
      query: { org_id: organization.id },
      body: { name, description, embedding_model: model, sources: [], chunking: chunkingOf(chunking) },
    })
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="New knowledge base"
      description="Documents are added next."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} kind="primary" busy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          maxLength={200}
          value={asked.name}
          onChange={({ target }) => setAsked({ ...asked, name: target.value })}
        />
        <TextAreaField
          label="Description"
          hint="What can be looked up in it. Agents choose by this."
          rows={2}
          maxLength={5000}
          value={asked.description}
          onChange={({ target }) => setAsked({ ...asked, description: target.value })}
        />
        <details>
          <summary className="w-fit text-sm font-medium text-muted">More</summary>
          <div className="mt-4 flex flex-col gap-4">
            <EmbeddingField
              label="Embedding model"
              hint="Finds what means the same in other words. What is built in sees words only, and works for every language."
              value={asked.model}
              onChange={(model) => setAsked({ ...asked, model })}
            />
            <ChunkingFields
              value={asked.chunking}
              onChange={(chunking) => setAsked({ ...asked, chunking })}
            />
          </div>
        </details>
        {create.error && <Failure error={create.error} />}
      </form>
    </Dialog>
  )
}
