import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { download } from '../../api/download.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('account')

/** Downloads the user's data as a file (docs/export.md). */
export function ExportData() {
  const notify = useNotify()
  const [bytes, setBytes] = useState(0)
  const take = useMutation({
    mutationFn: () => download('/api/users/me/export', { name: 'parley-export.zip', onProgress: setBytes }),
    onMutate: () => setBytes(0),
    onSuccess: () => notify(t('export.done')),
  })
  return (
    <Section
      title={t('export.title')}
      description={t('export.description')}
      actions={
        <Button icon={Download} busy={take.isPending} onClick={() => take.mutate()}>
          {t('export.download')}
        </Button>
      }
    >
      {take.isPending && (
        <p role="status" className="text-sm text-muted">
          {bytes === 0 ? t('export.preparing') : t('export.progress', { size: formatBytes(bytes) })}
        </p>
      )}
      {take.error && <Failure error={take.error} onRetry={() => take.mutate()} />}
    </Section>
  )
}
