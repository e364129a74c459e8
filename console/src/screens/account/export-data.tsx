import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../api/download.ts'
import { Button } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

/** Exports the user's data as a file (docs/export.md). */
export function ExportData() {
  const notify = useNotify()
  const [bytes, setBytes] = useState(0)
  const take = useMutation({
    mutationFn: () => download('/api/users/me/export', { name: 'parley-export.zip', onProgress: setBytes }),
    onMutate: () => setBytes(0),
    onSuccess: () => notify('Your data is in your downloads'),
  })
  return (
    <Section
      title="Your data"
      description="Your chats, files, instructions, memberships and connections of all organizations, as a zip of JSON Lines and files. With many files it may be large."
      actions={
        <Button icon={Download} busy={take.isPending} onClick={() => take.mutate()}>
          Download
        </Button>
      }
    >
      {take.isPending && (
        <p role="status" className="text-sm text-muted">
          {bytes === 0
            ? 'It is put together. Keep this page open.'
            : `${formatBytes(bytes)} so far. Keep this page open.`}
        </p>
      )}
      {take.error && <Failure error={take.error} onRetry={() => take.mutate()} />}
    </Section>
  )
}
