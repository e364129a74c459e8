import type { ImportedOrganization } from '@parley/client/schemas'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { upload } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Bar } from '../../ui/chart.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'

/** Makes a new organization of an export. */
export function ImportSection() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title="Import"
      description="Make a new organization of an export, of this server or another one. You become its owner."
      actions={
        <Button icon={Upload} onClick={() => setOpen(true)}>
          Import an export
        </Button>
      }
    >
      <p className="text-sm text-muted">
        Members are not imported, and keys and other secrets are in no export: what needs them is switched off
        until it has them again.
      </p>
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
      title="Import an export"
      description="It is all or nothing: where something is wrong with it, nothing is made."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="File"
          hint="The zip of an export, up to 2 GB"
          type="file"
          accept=".zip,application/zip"
          required
          disabled={bring.isPending}
          onChange={({ target }) => setDraft({ ...draft, file: target.files?.[0] })}
          className="py-1 text-sm"
        />
        <TextField
          label="Name (optional)"
          hint="Empty: it is called as it was"
          maxLength={100}
          disabled={bring.isPending}
          value={draft.name}
          onChange={({ target }) => setDraft({ ...draft, name: target.value })}
        />
        <div role="status">{bring.isPending && <Progress sent={sent} />}</div>
        {bring.error && <Failure error={bring.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={bring.isPending}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" busy={bring.isPending}>
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const Progress = ({ sent }: { sent: number }) => (
  <div className="flex flex-col gap-1.5 text-sm text-muted">
    {sent < 1 ? `Sending: ${Math.round(sent * 100)} %` : 'It is read and checked. This may take minutes.'}
    <Bar share={sent} />
  </div>
)

const ImportedDialog = ({ result, onClose }: { result: ImportedOrganization; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    title={`${result.organization.name} is imported`}
    description={Object.entries(result.imported)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${formatNumber(count)} ${what.replaceAll('_', ' ')}`)
      .join(', ')}
    actions={
      <>
        <Button onClick={onClose}>Stay here</Button>
        <Link to="/" search={{ org_id: result.organization.id }} className={buttonLook('primary')}>
          Go to it
        </Link>
      </>
    }
  >
    {result.left_out.length > 0 && (
      <>
        <h3 className="text-sm font-semibold">Left out, or not as it was</h3>
        <ul className="flex flex-col gap-2 text-sm">
          {result.left_out.map(({ what, count, reason }) => (
            <li key={`${what} ${reason}`}>
              <span className="font-medium">
                {formatNumber(count)} {what.replaceAll('_', ' ')}
              </span>
              : <span className="text-muted">{reason}</span>
            </li>
          ))}
        </ul>
      </>
    )}
  </Dialog>
)
