import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { ChunkingFields, chunkingOf } from './chunking-fields.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { EmbeddingField, useEmbeddingName } from './models.tsx'
import { CONTENT } from './status.tsx'

export function Settings() {
  const { may } = useHere()
  return (
    <div className="flex flex-col gap-5">
      {may('kb:write') ? (
        <>
          <Naming />
          <Indexing />
        </>
      ) : (
        <ReadOnly />
      )}
      {may('kb:delete') && <Deletion />}
    </div>
  )
}

function ReadOnly() {
  const { base } = useKnowledgeBase()
  const model = useEmbeddingName(base.embedding_model)
  return (
    <Section title="How texts are indexed" description="Your role may look at this, and not change it.">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        <dt className="text-muted">Embedding model</dt>
        <dd>{model}</dd>
        <dt className="text-muted">Tokens in a chunk</dt>
        <dd>{formatNumber(base.chunking.max_tokens)}</dd>
        <dt className="text-muted">Overlap</dt>
        <dd>{formatNumber(base.chunking.overlap_tokens)}</dd>
      </dl>
    </Section>
  )
}

function Naming() {
  const { base } = useKnowledgeBase()
  const notify = useNotify()
  const [name, setName] = useState(base.name)
  const [description, setDescription] = useState(base.description)
  const update = useChange('PUT /api/kb/update', {
    outdates: ['GET /api/kb/get', 'GET /api/kb/list'],
    onDone: () => notify('Saved'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    update.mutate({ query: { kb_id: base.id }, body: { name, description } })
  }
  return (
    <Section title="Name and description">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextAreaField
          label="Description"
          hint="What can be looked up in it. Agents choose by this."
          rows={2}
          maxLength={5000}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        {update.error && <Failure error={update.error} />}
        <Button type="submit" kind="primary" busy={update.isPending} className="self-start">
          Save
        </Button>
      </form>
    </Section>
  )
}

function Indexing() {
  const { base } = useKnowledgeBase()
  const confirm = useConfirm()
  const notify = useNotify()
  const [model, setModel] = useState(base.embedding_model)
  const [chunking, setChunking] = useState({
    max: String(base.chunking.max_tokens),
    overlap: String(base.chunking.overlap_tokens),
  })
  const reindex = useChange('POST /api/kb/reindex', {
    outdates: CONTENT,
    onDone: () => notify('All documents are indexed anew'),
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const agreed = await confirm({
      title: 'Index all documents anew?',
      consequence: `${documentsOf(base.document_count)} split and embedded again; with a model of a provider that is paid. Changes to single chunks are lost. Meanwhile what was there before is found.`,
      action: 'Index anew',
    })
    if (!agreed) return
    reindex.mutate({
      query: { kb_id: base.id },
      body: {
        chunking: chunkingOf(chunking),
        ...(model !== base.embedding_model && { embedding_model: model }),
      },
    })
  }
  return (
    <Section
      title="How texts are indexed"
      description="A change has all documents indexed anew. Sources that have failed are read again."
    >
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <EmbeddingField
          label="Embedding model"
          hint="Finds what means the same in other words. What is built in sees words only."
          value={model}
          onChange={setModel}
        />
        <ChunkingFields value={chunking} onChange={setChunking} />
        {reindex.error && <Failure error={reindex.error} />}
        <Button type="submit" busy={reindex.isPending} className="self-start">
          Index anew
        </Button>
      </form>
    </Section>
  )
}

const documentsOf = (count: number): string =>
  count === 1 ? '1 document is' : `${formatNumber(count)} documents are`

function Deletion() {
  const { base } = useKnowledgeBase()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const notify = useNotify()
  const remove = useChange('DELETE /api/kb/delete', {
    outdates: ['GET /api/kb/list'],
    onDone: () => {
      notify(`Deleted ${base.name}`)
      void navigate({ to: '/knowledge' })
    },
  })
  const ask = async () => {
    const agreed = await confirm({
      title: 'Delete this knowledge base?',
      consequence: `Its documents (${formatNumber(base.document_count)}), sources and evaluations go with it, and do not come back. Agents that search in it go on without it.`,
      action: 'Delete',
      typed: base.name,
    })
    if (agreed) remove.mutate({ query: { kb_id: base.id } })
  }
  return (
    <Section title="Delete" description="The knowledge base with all that is in it.">
      {remove.error && <Failure error={remove.error} />}
      <Button kind="danger" busy={remove.isPending} onClick={() => void ask()} className="self-start">
        Delete knowledge base
      </Button>
    </Section>
  )
}
