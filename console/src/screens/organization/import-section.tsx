import type { ImportedOrganization } from '@parley/client/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { upload } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import type en from '../../messages/en/organization.ts'
import { translator } from '../../messages/index.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatList, formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'

const t = translator('organization')

export function ImportSection() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title={t('import.title')}
      description={t('import.description')}
      actions={
        <Button icon={Upload} onClick={() => setOpen(true)}>
          {t('import.open')}
        </Button>
      }
    >
      <p className="text-sm text-muted">{t('import.note')}</p>
      {isOpen && <ImportDialog onClose={() => setOpen(false)} />}
    </Section>
  )
}

function ImportDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [draft, setDraft] = useState<{ file?: File; name: string }>({ name: '' })
  const [sent, setSent] = useState(0)
  const bring = useMutation({
    mutationFn: (file: File) =>
      upload<ImportedOrganization>('/api/org/import', {
        query: { name: draft.name.trim() || undefined },
        file,
        onProgress: setSent,
      }),
    onSuccess: () => outdate(client, 'GET /api/org/list'),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(0)
    if (draft.file) bring.mutate(draft.file)
  }
  if (bring.data) return <ImportedDialog result={bring.data} onClose={onClose} />
  return (
    <Dialog
      open
      onClose={() => !bring.isPending && onClose()}
      title={t('import.open')}
      description={t('import.allOrNothing')}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t('import.file')}
          hint={t('import.fileHint')}
          type="file"
          accept=".zip,application/zip"
          required
          disabled={bring.isPending}
          onChange={({ target }) => setDraft({ ...draft, file: target.files?.[0] })}
          className="py-1 text-sm"
        />
        <TextField
          label={t('import.name')}
          hint={t('import.nameHint')}
          maxLength={100}
          disabled={bring.isPending}
          value={draft.name}
          onChange={({ target }) => setDraft({ ...draft, name: target.value })}
        />
        <div role="status">{bring.isPending && <Progress sent={sent} />}</div>
        {bring.error && <Failure error={bring.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={bring.isPending}>
            {t('import.cancel')}
          </Button>
          <Button type="submit" kind="primary" busy={bring.isPending}>
            {t('import.submit')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const Progress = ({ sent }: { sent: number }) => (
  <div className="flex flex-col gap-1.5 text-sm text-muted">
    {sent < 1 ? t('import.uploading', { share: sent }) : t('import.importing')}
    <Bar share={sent} />
  </div>
)

const ImportedDialog = ({ result, onClose }: { result: ImportedOrganization; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    title={t('imported.title', { name: result.organization.name })}
    description={formatList(
      Object.entries(result.imported)
        .filter(([, count]) => count > 0)
        .map(([kind, count]) => countOf(kind, count)),
    )}
    actions={
      <>
        <Button onClick={onClose}>{t('imported.stay')}</Button>
        <Link to="/" search={{ org_id: result.organization.id }} className={buttonLook('primary')}>
          {t('imported.open')}
        </Link>
      </>
    }
  >
    {result.left_out.length > 0 && (
      <>
        <h3 className="text-sm font-semibold">{t('imported.leftOut')}</h3>
        <ul className="flex flex-col gap-2 text-sm">
          {result.left_out.map(({ what, count, reason }) => (
            <li key={`${what} ${reason}`}>
              {t.rich('imported.reason', {
                kind: (text) => <span className="font-medium">{text}</span>,
                count: countOf(what, count),
                reason,
              })}
            </li>
          ))}
        </ul>
      </>
    )}
  </Dialog>
)

type Kind = keyof typeof en.kinds

/** Returns text such as `12 agents`. A server of another version may send kinds that have no message. */
const countOf = (kind: string, count: number): string =>
  t.has(`kinds.${kind}` as 'kinds.agents')
    ? t(`kinds.${kind as Kind}`, { count })
    : `${formatNumber(count)} ${kind.replaceAll('_', ' ')}`
