/**
 * Copies text to the clipboard. Frames without clipboard permission copy from a hidden text field. Returns false if
 * copying fails.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  focused?.focus()
  return isCopied
}
