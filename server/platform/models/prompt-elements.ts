/** So that no text can end the element of a prompt that it stands in, and go on as something else. */
export const withoutTags = (text: string, element: string): string =>
  text.replace(new RegExp(`<(?=\\s{0,9}(?:/\\s{0,9})?${element})`, 'gi'), '‹')
