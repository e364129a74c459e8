-- Whether a source is still being read, or has documents that wait.
CREATE OR REPLACE FUNCTION public.is_ingesting_source(status text, documents_pending integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN ((status = ANY (ARRAY['pending'::text, 'reading'::text])) OR (documents_pending > 0));
