# The commands that measured the agents, each with the file of what it printed; run in this folder.
without_matches() { python -c 'import json, sys; t = json.load(sys.stdin); del t["matches"]; json.dump(t, sys.stdout, indent=1)'; }
shangyou tournament doudizhu champion/doudizhu paper/deeprocket rule rlcard-rule greedy random --deals 500 --json | without_matches > doudizhu.json
shangyou tournament doudizhu champion/doudizhu paper/deeprocket rule rlcard-rule greedy random --rules bidding=true --deals 500 --json | without_matches > doudizhu-bidding.json
shangyou tournament zsy4 champion/zsy4 paper/ddqn-pool paper/ddqn-bot paper/ddqn-lstm greedy random --deals 500 --json | without_matches > zsy4.json
shangyou tournament zsy2 champion/zsy2 random greedy paper-greedy paper/conv-lstm paper/convnet2 paper/convnet2-as-run paper/convnet3 paper/convnet4 paper/convnet9 paper/convnet12 paper/deep-q-1 paper/deep-q-2 paper/densenet1 paper/densenet3 paper/densenet6 paper/densenet7 paper/densenet8 paper/densenet9 paper/densenet10 paper/densenet11 paper/densenet12 paper/mean6 paper/min6 paper/old-dqn paper/taught paper/td-linear --deals 200 --json | without_matches > zsy2.json
