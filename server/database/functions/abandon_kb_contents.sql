-- Marks the contents of deleted knowledge bases. A sweep deletes them in batches (parts/kb/erase-contents-system.ts).
CREATE OR REPLACE FUNCTION public.abandon_kb_contents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update kb_contents c set is_abandoned = true from gone where c.id = gone.id;
  return null;
end $function$;

CREATE TRIGGER knowledge_bases_deleted AFTER DELETE ON knowledge_bases REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION abandon_kb_contents();
