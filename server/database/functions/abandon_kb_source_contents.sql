-- Marks the contents of deleted sources, which searches no longer find. A sweep deletes them in batches.
CREATE OR REPLACE FUNCTION public.abandon_kb_source_contents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update kb_contents c set is_abandoned = true from gone where c.id = gone.id;
  update knowledge_bases k set index_version = k.index_version + 1
  from (select distinct kb_id from gone) as g where k.id = g.kb_id;
  return null;
end $function$;

CREATE TRIGGER kb_sources_abandoned AFTER DELETE ON kb_sources REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION abandon_kb_source_contents();
