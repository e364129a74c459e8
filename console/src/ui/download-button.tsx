import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { download } from '../api/download.ts'
import { Button } from './button.tsx'
import { useNotify } from './toast.tsx'

interface DownloadButtonProps {
  path: string
  query: object
  accept?: string
  name: string
  children: string
}

export function DownloadButton({ path, query, accept, name, children }: DownloadButtonProps) {
  const notify = useNotify()
  const saving = useMutation({
    mutationFn: () => download(path, { query, accept, name }),
    onError: notify,
  })
  return (
    <Button icon={Download} busy={saving.isPending} onClick={() => saving.mutate()}>
      {children}
    </Button>
  )
}
