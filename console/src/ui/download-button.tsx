import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { download } from '../api/download.ts'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { formatBytes } from './format.ts'
import { useNotify } from './toast.tsx'

const t = translator('ui')

interface DownloadButtonProps {
  path: string
  query: object
  accept?: string
  name: string
  children: string
}

export function DownloadButton({ path, query, accept, name, children }: DownloadButtonProps) {
  const notify = useNotify()
  const [bytes, setBytes] = useState(0)
  const saving = useMutation({
    mutationFn: () => download(path, { query, accept, name, onProgress: setBytes }),
    onMutate: () => setBytes(0),
    onError: notify,
  })
  return (
    <Button icon={Download} busy={saving.isPending} onClick={() => saving.mutate()}>
      {saving.isPending && bytes > 0 ? t('downloading', { size: formatBytes(bytes) }) : children}
    </Button>
  )
}
