# The figures of the papers: their scenes, as far as the last cut, and what `run` says of them.

scenes=$root/../../examples

# ---- 2013

figure() { # scene, steps, what it prints
  ok run "$scenes/$1.yaml" --out "figures.$1" --steps "$2" && prints "$3"
}
it 'ten faces are unsewn' figure 16_ten_faces 52 '10 facets cut'
it 'a knife cuts all the way down' figure 17_progressive_knife 80 '36 facets cut, 49 vertices parted'
it 'nine faces, in two stages' figure 18_two_stages 122 '9 facets cut, 16 vertices parted'
it 'fourteen faces about three volumes' figure 19_pierced_beam 22 '14 facets cut, 3 cells removed'
it '26,000 hexahedra are cut in two' figure 20_twenty_six_thousand 3 '862 facets cut'

it 'cells are split along a plane' figure 29_slice 12 \
  '56 facets cut, 39 vertices parted, 53 cells split, 14 vertices moved, 1 place left as it was, 3 vertices stuck'

# ---- 2014

it 'a beam is refined here and there' figure 21_random_refinement 20 '120 cells refined'
it 'matter goes, coarse' figure 22_liver_removal 12 '33 cells removed'
it 'matter goes, fine' figure 23_liver_refined_removal 12 '256 cells removed, 87 cells refined'
it 'refined, removed, cut' figure 24_combined 17 '58 facets cut, 53 vertices parted, 106 cells removed, 82 cells refined'
it 'fine where the tool is, coarse again behind it' figure 25_coarse_again 50 \
  '36 cells refined, 36 cells put together again'
