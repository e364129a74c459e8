import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
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

const t = translator('knowledge')

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
    <Section title={t('settings.indexing')} description={t('settings.readOnly')}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        <dt className="text-muted">{t('embedding.label')}</dt>
        <dd>{model}</dd>
        <dt className="text-muted">{t('chunking.size')}</dt>
        <dd>{formatNumber(base.chunking.max_tokens)}</dd>
        <dt className="text-muted">{t('chunking.overlap')}</dt>
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
    onDone: () => notify(t('settings.saved')),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    update.mutate({ query: { kb_id: base.id }, body: { name, description } })
  }
  return (
    <Section title={t('settings.general')}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t('fields.name')}
          required
          maxLength={200}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextAreaField
          label={t('fields.description')}
          hint={t('fields.descriptionHint')}
          rows={2}
          maxLength={5000}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        {update.error && <Failure error={update.error} />}
        <Button type="submit" kind="primary" busy={update.isPending} className="self-start">
          {t('settings.save')}
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
    onDone: () => notify(t('settings.reindexing')),
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const agreed = await confirm({
      title: t('settings.reindexTitle'),
      consequence: t('settings.reindexConsequence', { count: base.document_count }),
      action: t('settings.reindex'),
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
    <Section title={t('settings.indexing')} description={t('settings.indexingHint')}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <EmbeddingField
          label={t('embedding.label')}
          hint={t('embedding.hint')}
          value={model}
          onChange={setModel}
        />
        <ChunkingFields value={chunking} onChange={setChunking} />
        {reindex.error && <Failure error={reindex.error} />}
        <Button type="submit" busy={reindex.isPending} className="self-start">
          {t('settings.reindex')}
        </Button>
      </form>
    </Section>
  )
}

function Deletion() {
  const { base } = useKnowledgeBase()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const notify = useNotify()
  const remove = useChange('DELETE /api/kb/delete', {
    outdates: ['GET /api/kb/list'],
    onDone: () => {
      notify(t('settings.deleted', { name: base.name }))
      void navigate({ to: '/knowledge' })
    },
  })
  const ask = async () => {
    const agreed = await confirm({
      title: t('settings.deleteTitle', { name: base.name }),
      consequence: t('settings.deleteConsequence', { count: base.document_count }),
      action: t('delete'),
      typed: base.name,
    })
    if (agreed) remove.mutate({ query: { kb_id: base.id } })
  }
  return (
    <Section title={t('settings.delete')} description={t('settings.deleteHint')}>
      {remove.error && <Failure error={remove.error} />}
      <Button kind="danger" busy={remove.isPending} onClick={() => void ask()} className="self-start">
        {t('settings.delete')}
      </Button>
    </Section>
  )
}
